import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inTurn, onOwnIndex } from "../../src/powers/exec-git-turns.ts";
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
      return { block: true, reason: ended.map(({ code }) => code).join() };`),
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
  const all = [inTurn("a", act("1", true)), inTurn("a", act("2")), inTurn("b", act("3")), inTurn("a", act("4"))];
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(order.filter((line) => !line.startsWith("3"))).toEqual(
    ["1", "2", "4"].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  expect(order.indexOf("3 begins")).toBeLessThan(order.indexOf("1 ends"));
});

/** A folder with an index of this content, and git's variables that name it. */
function indexed(content?: string): { index: string; env: NodeJS.ProcessEnv; folder: string } {
  const folder = temporaryFolder();
  const index = join(folder, "own", "index");
  mkdirSync(join(folder, "own"));
  if (content !== undefined) writeFileSync(index, content);
  return { index, env: { A: "1", GIT_INDEX_FILE: index }, folder };
}

test("git works on a copy of its index, which nobody exchanges", async () => {
  const { index, env, folder } = indexed("before");
  let own = "";
  const told = await onOwnIndex(env, async (given) => {
    own = String(given.GIT_INDEX_FILE);
    expect({ ...given }).toEqual({ A: "1", GIT_INDEX_FILE: own });
    expect(own).not.toBe(index);
    writeFileSync(index, "exchanged");
    expect(readFileSync(own, "utf8")).toBe("before");
    writeFileSync(own, "after");
    return "told";
  });
  expect([told, readFileSync(index, "utf8"), existsSync(own)]).toEqual(["told", "after", false]);
  expect(readdirSync(join(folder, "own"))).toEqual(["index"]);
});

test.each([
  ["there was none, and git makes one", undefined, "made", "made"],
  ["there was none, and git makes none", undefined, undefined, undefined],
])("where %s", async (_what, before, made, after) => {
  const { index, env } = indexed(before);
  await onOwnIndex(env, async ({ GIT_INDEX_FILE = "" }) => {
    expect(existsSync(GIT_INDEX_FILE)).toBe(false);
    if (made !== undefined) writeFileSync(GIT_INDEX_FILE, made);
  });
  expect(existsSync(index) ? readFileSync(index, "utf8") : undefined).toBe(after);
});

test("what cannot be read is no index, and what fails leaves it as it was", async () => {
  const { env } = indexed();
  mkdirSync(String(env.GIT_INDEX_FILE));
  await expect(onOwnIndex(env, async () => "ran")).rejects.toThrow();
  const { index, env: other } = indexed("before");
  const failing = onOwnIndex(other, async ({ GIT_INDEX_FILE = "" }) => {
    writeFileSync(GIT_INDEX_FILE, "after");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(readFileSync(index, "utf8")).toBe("before");
  expect(await onOwnIndex({ A: "1" }, async (env) => env)).toEqual({ A: "1" });
});
