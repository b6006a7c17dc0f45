import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { ProgramResult } from "../../sandbox/wire/answers.ts";
import { runGit } from "../../src/powers/exec-git.ts";
import { onOwnIndex } from "../../src/powers/exec-git-own-index.ts";
import { inTurn } from "../../src/powers/exec-git-turns.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd, encoding: "utf8" });

test("of many `git add` at once, each looks after the one before: none enters a repository inside", async () => {
  const session = await startSession({
    adds: {
      source: onToolCall(`const ended = await Promise.all(Array.from({ length: 10 }, async (_, at) => {
        await new Promise((done) => setTimeout(done, at * 7));
        return pi.exec("git", ["add", "."]);
      }));
      return { block: true, reason: ended.map(({ code }) => code).sort((a, b) => a - b).join() };`),
      grant: {
        capabilities: { events: { see: ["tool_call"], block: true }, exec: [{ program: "git", args: ["add", "."] }] },
      },
    },
  });
  const work = join(session.folder, "work");
  const inner = join(work, "inner");
  const mark = join(session.folder, "mark");
  writeFiles(work, { "a.txt": "one\n", "inner/i.txt": "i\n", "inner/.gitattributes": "i.txt filter=f\n" });
  for (const folder of [work, inner]) git(folder, "init", "-q");
  git(inner, "add", ".");
  git(inner, "commit", "-qm", "first");
  git(work, "add", "a.txt");
  git(work, "commit", "-qm", "first");
  writeFiles(work, { "a.txt": "two\n", "inner/i.txt": "j\n" });
  git(inner, "config", "filter.f.clean", `: > '${mark}'; cat`);

  expect(await session.call()).toMatchObject({ reason: "0,128,128,128,128,128,128,128,128,128" });
  expect(existsSync(mark)).toBe(false);
  // The control: git itself would have run it.
  git(work, "add", ".");
  expect(existsSync(mark)).toBe(true);
});

test.each([
  ["symbolic-ref", "HEAD", "refs/heads/x"],
  ["branch", "y"],
])("git %j waits for what looks at files", async (...args) => {
  const folder = temporaryFolder();
  const work = join(folder, "work");
  writeFiles(work, { "a.txt": "one\n" });
  git(work, "init", "-q");
  git(work, "add", ".");
  git(work, "commit", "-qm", "first");
  const at = (name: string): string => execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  const [path, log] = [join(folder, "git"), join(folder, "log")];
  const slow = `[ "$1" = status ] && ${at("sleep")} 0.3`;
  writeFileSync(path, `#!/bin/sh\necho "begin $1" >> ${log}\n${slow}\n${at("git")} "$@"\necho "end $1" >> ${log}\n`);
  chmodSync(path, 0o755);
  const { signal } = new AbortController();
  const options = { cwd: work, env: {}, timeoutMs: 20_000, maxOutputBytes: 10_000, signal };
  const run = (command: string[]) =>
    runGit(path, command, options, [work], {
      network: false,
      literally: false,
      writes: false,
      mayWrite: () => false,
      full: false,
      hook: HOOK,
    });
  const status = run(["status"]);
  await expect.poll(() => existsSync(log) && readFileSync(log, "utf8")).toContain("begin status");
  await Promise.all([status, run(args)]);
  const order = readFileSync(log, "utf8").split("\n");
  expect(order.indexOf("end status")).toBeLessThan(order.indexOf(`begin ${args[0]}`));
});

const NEVER = new AbortController().signal;
const HOOK = {};

test("commands of one repository run one after the other, also after one that failed", async () => {
  const order: string[] = [];
  const act =
    (name: string, fails = false) =>
    async () => {
      order.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 10));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const turn = (repository: string, name: string, fails = false) => inTurn(repository, HOOK, NEVER, act(name, fails));
  const ended = await Promise.allSettled([turn("a", "1", true), turn("a", "2"), turn("b", "3"), turn("a", "4")]);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(order.filter((line) => !line.startsWith("3"))).toEqual(
    ["1", "2", "4"].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  expect(order.indexOf("3 begins")).toBeLessThan(order.indexOf("1 ends"));
});

test("one that nobody waits for any more does not run, and the next still waits for the one before", async () => {
  const order: string[] = [];
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>();
  const over = new AbortController();
  const running = inTurn("c", HOOK, NEVER, async () => {
    await first;
    order.push("first");
  });
  const left = inTurn("c", HOOK, over.signal, async () => void order.push("left"));
  const next = inTurn("c", HOOK, NEVER, async () => void order.push("next"));
  over.abort();
  expect(await left).toBeUndefined();
  expect(order).toEqual([]);
  endFirst();
  await Promise.all([running, next]);
  expect(order).toEqual(["first", "next"]);
});

test("a hook with many commands keeps those of another waiting for one of its own", async () => {
  const order: string[] = [];
  const other = {};
  const run = (hook: object, name: string) =>
    inTurn("d", hook, NEVER, async () => {
      order.push(name);
      await new Promise((done) => setTimeout(done, 2));
    });
  const greedy = Array.from({ length: 20 }, (_, at) => run(HOOK, `a${at}`));
  const guard = [run(other, "b0"), run(other, "b1")];
  await Promise.all([...greedy, ...guard]);
  expect(order.slice(0, 5)).toEqual(["a0", "a1", "b0", "a2", "b1"]);
  expect(order.slice(5)).toEqual(Array.from({ length: 17 }, (_, at) => `a${at + 3}`));
});

test("of one hook's commands that nobody waits for any more, none keeps another's", async () => {
  const over = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = inTurn("e", HOOK, NEVER, () => promise);
  const left = Array.from({ length: 3 }, () => inTurn("e", HOOK, over.signal, async () => "ran"));
  const next = inTurn("e", {}, NEVER, async () => "next");
  over.abort();
  expect(await Promise.all(left)).toEqual([undefined, undefined, undefined]);
  resolve();
  await running;
  expect(await next).toBe("next");
  expect(await inTurn("e", HOOK, over.signal, async () => "ran")).toBeUndefined();
  expect(await inTurn("e", HOOK, NEVER, async () => "after")).toBe("after");
});

const DONE: ProgramResult = { stdout: "told", stderr: "", code: 0, killed: false };

/** A folder with an index of this content, and git's variables that name it. */
function indexed(content?: string) {
  const folder = temporaryFolder();
  const index = join(folder, "own", "index");
  mkdirSync(join(folder, "own"));
  if (content !== undefined) writeFileSync(index, content);
  const run = (act: (own: string, env: NodeJS.ProcessEnv) => void) =>
    onOwnIndex(
      { A: "1", GIT_INDEX_FILE: index },
      async (bytes) => bytes,
      async (env) => {
        act(String(env.GIT_INDEX_FILE), env);
        return DONE;
      },
    );
  const left = (): unknown[] => [readdirSync(join(folder, "own")), existsSync(index) && readFileSync(index, "utf8")];
  return { index, folder, run, left };
}

test("git works on a copy of its index, which nobody exchanges, and holds the lock of that index", async () => {
  const { index, run, left } = indexed("DIRC before");
  let copy = "";
  const told = await run((own, env) => {
    copy = own;
    expect({ ...env }).toEqual({ A: "1", GIT_INDEX_FILE: own });
    expect([own === index, existsSync(`${index}.lock`)]).toEqual([false, true]);
    writeFileSync(index, "exchanged");
    expect(readFileSync(own, "utf8")).toBe("DIRC before");
    writeFileSync(own, "DIRC after");
  });
  expect([told, existsSync(copy), ...left()]).toEqual([DONE, false, ["index"], "DIRC after"]);
});

test("while a large index is copied, in and out, others have their turns", async () => {
  const { index, run } = indexed("DIRC before");
  truncateSync(index, 20_000_000);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  let before = 0;
  await run((own) => {
    before = turns;
    truncateSync(own, 20_000_001);
  });
  isOver = true;
  expect(before).toBeGreaterThan(50);
  expect(turns - before).toBeGreaterThan(50);
  expect(lstatSync(index).size).toBe(20_000_001);
});

test.each<[what: string, before: string | undefined, made: string | undefined, after: unknown[]]>([
  ["there was none, and git makes one", undefined, "DIRC made", [["index"], "DIRC made"]],
  ["there was none, and git makes none", undefined, undefined, [[], false]],
  ["git leaves it as it was", "DIRC before", undefined, [["index"], "DIRC before"]],
  ["what git makes is no index", "DIRC before", "TOKEN=x", [["index"], "DIRC before"]],
])("where %s", async (_what, before, made, after) => {
  const { run, left } = indexed(before);
  expect(await run((own) => made !== undefined && writeFileSync(own, made))).toEqual(DONE);
  expect(left()).toEqual(after);
});

test.each<[what: string, put: (own: string, secret: string) => void]>([
  ["a link", (own, secret) => symlinkSync(secret, own)],
  ["too large", (own) => truncateSync(own, 64_000_001)],
])("what takes the place of the copy and is %s is not kept", async (what, put) => {
  const { index, folder, run } = indexed("DIRC before");
  writeFileSync(join(folder, "secret"), "DIRC secret");
  const told = await run((own) => {
    rmSync(own);
    if (what !== "a link") writeFileSync(own, "DIRC after");
    put(own, join(folder, "secret"));
  });
  expect([told.code, told.stderr]).toEqual([128, expect.stringContaining("the index cannot be used")]);
  expect([readFileSync(index, "utf8"), existsSync(`${index}.lock`)]).toEqual(["DIRC before", false]);
});

test("a hook that may write in the temporary folder reaches no index there that git works on", async () => {
  const { index, run } = indexed("DIRC before");
  const session = await startSession({
    writes: {
      source: onToolCall(
        `fs.writeFileSync(event.input.path, "DIRC mine"); return { block: true, reason: "written" };`,
        `import fs from "node:fs";`,
      ),
      grant: { capabilities: { events: { see: ["tool_call"], block: true }, fs: { write: ["$TMP/**"] } } },
    },
  });
  const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
  const { promise: tried, resolve: go } = Promise.withResolvers<void>();
  const told = onOwnIndex(
    { GIT_INDEX_FILE: index },
    async (bytes) => bytes,
    async (env) => {
      ask(String(env.GIT_INDEX_FILE));
      await tried;
      return DONE;
    },
  );
  const copy = await asked;
  expect(await session.call({ path: join(dirname(dirname(copy)), "beside") })).toMatchObject({ reason: "written" });
  expect(await session.call({ path: copy })).toMatchObject({ reason: expect.stringContaining("was not granted fs") });
  go();
  await told;
  await run(() => {});
  expect(readFileSync(index, "utf8")).toBe("DIRC before");
});

test.each<[what: string, lay: (index: string, folder: string) => void]>([
  ["a link", (index, folder) => symlinkSync(join(folder, "secret"), index)],
  ["a folder", (index) => mkdirSync(index)],
  ["a pipe", (index) => execFileSync("mkfifo", [index])],
  [
    "in a folder that is a link",
    (index, folder) => {
      rmdirSync(dirname(index));
      mkdirSync(join(folder, "other"));
      symlinkSync(join(folder, "other"), dirname(index));
    },
  ],
  [
    "too large",
    (index) => {
      writeFileSync(index, "");
      truncateSync(index, 64_000_001);
    },
  ],
  ["held by another git", (index) => writeFileSync(`${index}.lock`, "theirs")],
])("an index that is %s is not used: git does not run, and nothing is written", async (_what, lay) => {
  const { index, folder, run } = indexed();
  writeFileSync(join(folder, "secret"), "DIRC secret");
  lay(index, folder);
  let ran = false;
  const told = await run(() => (ran = true));
  expect([told.code, told.stderr, ran]).toEqual([128, expect.stringContaining("the index cannot be used"), false]);
  expect(readFileSync(join(folder, "secret"), "utf8")).toBe("DIRC secret");
  expect(readdirSync(dirname(index)).filter((name) => name !== "index")).toEqual(
    existsSync(`${index}.lock`) ? ["index.lock"] : [],
  );
});

test("what its command throws is not taken for a fault of the index, and leaves nothing", async () => {
  const { left, run } = indexed("DIRC before");
  const failing = run((own) => {
    writeFileSync(own, "DIRC after");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(left()).toEqual([["index"], "DIRC before"]);
});

test("a link that is put in its place meanwhile is replaced, and not followed", async () => {
  const { index, folder, run } = indexed("DIRC before");
  writeFileSync(join(folder, "secret"), "secret");
  await run((own) => {
    rmSync(index);
    symlinkSync(join(folder, "secret"), index);
    writeFileSync(own, "DIRC after");
  });
  expect([lstatSync(index).isFile(), readFileSync(index, "utf8")]).toEqual([true, "DIRC after"]);
  expect(readFileSync(join(folder, "secret"), "utf8")).toBe("secret");
});
