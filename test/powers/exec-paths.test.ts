import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExecEntry } from "../../src/powers/exec-grant.ts";
import { Looked, staysInFolder } from "../../src/powers/exec-paths.ts";
import { realTarget } from "../../src/powers/fs-path.ts";
import { startFacts } from "../guest/facts.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** A project with links in all directions, and a folder outside that is not granted. */
async function start(entries: ExecEntry[]) {
  const outside = temporaryFolder();
  writeFileSync(join(outside, "passwd"), "the secret\n");
  writeFileSync(join(outside, "notes.txt"), "outside\n");
  const session = await startFacts(
    {
      run: `return ctx.exec(event.input.program, event.input.args).then((done: any) => (done.stdout || done.stderr).slice(0, 500), (error: any) => error.code);`,
    },
    { grant: { capabilities: { exec: entries } } },
  );
  const work = join(session.folder, "work");
  mkdirSync(join(work, "docs", "deep"), { recursive: true });
  mkdirSync(join(work, "elsewhere"));
  writeFileSync(join(work, "notes.txt"), "notes\n");
  writeFileSync(join(work, "docs", "deep", "a.txt"), "deep\n");
  writeFileSync(join(work, ".env"), "TOKEN=1\n");
  writeFileSync(join(work, "docs", "key.pem"), "a key\n");
  symlinkSync(join(outside, "passwd"), join(work, "out.txt"));
  symlinkSync(join(outside, "passwd"), join(work, "deadbeef"));
  symlinkSync(join(outside, "passwd"), join(work, "7"));
  symlinkSync("out.txt", join(work, "twice"));
  symlinkSync("/proc", join(work, "p"));
  symlinkSync("/proc/self/environ", join(work, "env.txt"));
  symlinkSync(outside, join(work, "folder"));
  symlinkSync("notes.txt", join(work, "inside"));
  symlinkSync("docs/deep", join(work, "in"));
  symlinkSync("loop", join(work, "loop"));
  symlinkSync(".env", join(work, "settings.txt"));
  symlinkSync(join(outside, "nothing-yet"), join(work, "dangling"));
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const before = session.log.length;
    await session.call({ fact: "run", program, args } as never);
    return JSON.parse(
      session.log
        .slice(before)
        .find(({ text }) => text.startsWith("FACT "))
        ?.text.slice(5) ?? "{}",
    ).value;
  };
  return { run, work, outside };
}

test.each<[string, ExecEntry["args"], string[], string[]]>([
  ["date", ["-f", { kind: "relpath" }], ["-f", "notes.txt"], ["-f"]],
  [
    "git",
    ["blame", "--contents", { kind: "relpath" }, "a"],
    ["blame", "--contents", "notes.txt", "a"],
    ["blame", "--contents"],
  ],
])("a file that an option of %s names is looked at like those of cat", async (program, args, works, options) => {
  const { run } = await start([{ program, args }]);
  expect(await run(program, ...works)).not.toBe("NOT_GRANTED");
  for (const path of ["out.txt", "env.txt", ".env", "settings.txt", "p/self/environ"])
    expect([path, await run(program, ...options, path, ...works.slice(options.length + 1))]).toEqual([
      path,
      "NOT_GRANTED",
    ]);
});

const REFUSED = [
  ...["out.txt", "twice", "p", "p/self/environ", "p/1/environ", "p/self/cwd/notes.txt", "env.txt", "folder/notes.txt"],
  ...[
    "folder",
    "folder/../notes.txt",
    "loop",
    "dangling",
    "p/self/root/etc/passwd",
    ".env",
    "settings.txt",
    "docs/key.pem",
  ],
  ...[
    "./out.txt",
    "docs/../out.txt",
    "in/../../out.txt",
    "/etc/passwd",
    "~/.ssh/id_rsa",
    "",
    "a".repeat(300),
    "a/".repeat(4100),
  ],
];
const READ: Record<string, string> = {
  "notes.txt": "notes\n",
  "./notes.txt": "notes\n",
  inside: "notes\n",
  "in/a.txt": "deep\n",
  "docs/deep/a.txt": "deep\n",
  "docs//deep/a.txt": "deep\n",
};

test("a relative path leads only into the project, and to no secret", async () => {
  const { run } = await start([{ program: "cat", args: [{ kind: "relpath" }] }]);
  for (const path of REFUSED) expect([path, await run("cat", path)]).toEqual([path, "NOT_GRANTED"]);
  for (const [path, text] of Object.entries(READ)) expect([path, await run("cat", path)]).toEqual([path, text]);
});

test("each of many relative paths does, too", async () => {
  const { run } = await start([{ program: "cat", args: [{ rest: "relpath" }] }]);
  expect(await run("cat", "notes.txt", "in/a.txt")).toBe("notes\ndeep\n");
  expect(await run("cat", "notes.txt", "out.txt")).toBe("NOT_GRANTED");
  expect(await run("cat", ...Array(900).fill("a/b/c/d"))).not.toBe("NOT_GRANTED");
  expect(await run("cat", ...Array(900).fill("a/b/c/d/e"))).toBe("NOT_GRANTED");
});

test("a path for a program with full access does, too: the word is about the program", async () => {
  const { run } = await start([{ program: "sh", args: ["-c", 'cat "$0"', { kind: "relpath" }], fullAccess: true }]);
  expect(await run("sh", "-c", 'cat "$0"', "notes.txt")).toBe("notes\n");
  expect(await run("sh", "-c", 'cat "$0"', "out.txt")).toBe("NOT_GRANTED");
});

test.each(["ref", "sha", "int"] as const)(
  "a %s is checked as a file's name for a program that shows files",
  async (kind) => {
    const { run } = await start([{ program: "cat", args: [{ kind }] }]);
    const name = { ref: "out.txt", sha: "deadbeef", int: "7" }[kind];
    expect(await run("cat", name)).toBe("NOT_GRANTED");
    if (kind === "ref") expect(await run("cat", "p/self/environ")).toBe("NOT_GRANTED");
    if (kind === "ref") expect(await run("cat", "notes.txt")).toBe("notes\n");
  },
);

test("so is a ref for git diff outside of a repository, which compares any two files", async () => {
  const { run } = await start([{ program: "git", args: ["diff", { kind: "ref" }, { kind: "ref" }] }]);
  expect(await run("git", "diff", "notes.txt", "out.txt")).toBe("NOT_GRANTED");
  expect(await run("git", "diff", "p/self/environ", "notes.txt")).toBe("NOT_GRANTED");
});

test("a branch that is not a file is still accepted", async () => {
  const { run, work } = await start([{ program: "git", args: ["diff", "--stat", { kind: "ref" }] }]);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work });
  git("init", "-q", "-b", "main");
  git("add", "notes.txt");
  git("commit", "-q", "-m", "one");
  git("branch", "feature/x");
  writeFileSync(join(work, "notes.txt"), "other\n");
  expect(await run("git", "diff", "--stat", "feature/x")).toContain("notes.txt");
});

test("a file that a grant names exactly is allowed, even a secret, but not a link with its name", async () => {
  const { run, outside } = await start([
    { program: "cat", args: [".env"] },
    { program: "cat", args: ["notes.txt"] },
    { program: "cat", args: ["out.txt"] },
    { program: "cat", args: [{ kind: "enum", values: ["notes.txt", "env.txt", "inside"] }] },
    { program: "head", args: ["-n", "1", "notes.txt"] },
    { program: "cat", args: ["/etc/hostname"] },
    { program: "ls", args: [".."] },
  ]);
  expect(await run("cat", ".env")).toBe("TOKEN=1\n");
  expect(await run("cat", "notes.txt")).toBe("notes\n");
  expect(await run("cat", "out.txt")).toBe("NOT_GRANTED");
  expect(await run("cat", "env.txt")).toBe("NOT_GRANTED");
  expect(await run("cat", "inside")).toBe("notes\n");
  expect(await run("head", "-n", "1", "notes.txt")).toBe("notes\n");
  expect(await run("cat", "/etc/hostname")).not.toBe("NOT_GRANTED");
  expect(await run("ls", "..")).toContain("work");
  expect(outside).toBeTruthy();
});

test("paths start at the folder that the grant names, and stay in it", async () => {
  const { run, work } = await start([{ program: "cat", args: [{ kind: "relpath" }], cwd: "$CWD/docs" }]);
  expect(await run("cat", "deep/a.txt")).toBe("deep\n");
  symlinkSync("../notes.txt", join(work, "docs", "up"));
  expect(await run("cat", "up")).toBe("NOT_GRANTED");
  expect(await run("cat", "notes.txt")).toContain("No such file");
});

test("a program that shows no files may take arguments that look like paths", async () => {
  const { run, work } = await start([{ program: "echo", args: [{ kind: "ref" }] }]);
  linkSync(join(work, "notes.txt"), join(work, "other"));
  expect(await run("echo", "out.txt")).toBe("out.txt\n");
});

test("git takes a path as it stands: a pattern that covers a secret means no file", async () => {
  const paths = { kind: "relpath" } as const;
  const { run, work } = await start([
    { program: "git", args: ["diff", "--", paths] },
    { program: "git", args: ["add", "--", { rest: "relpath" }] },
    { program: "git", args: ["ls-files", "*.txt"] },
  ]);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work, encoding: "utf8" });
  git("init", "-q");
  git("add", "-f", "--", ".env", "notes.txt");
  git("commit", "-qm", "all");
  for (const name of [".env", "notes.txt"]) writeFileSync(join(work, name), "changed\n");
  expect(await run("git", "diff", "--", "notes.txt")).toContain("+changed");
  for (const pattern of [".en[v]", ".en?", "*env", ":(glob).env", ":(icase).ENV", ":.env", ":!notes.txt"])
    expect.soft(await run("git", "diff", "--", pattern), pattern).not.toContain("changed");
  await run("git", "add", "--", ".en?", "*");
  expect(git("diff", "--cached", "--name-only")).toBe("");
  await run("git", "add", "--", "notes.txt");
  expect(git("diff", "--cached", "--name-only")).toBe("notes.txt\n");
  // What a person wrote is a pattern as ever.
  expect(await run("git", "ls-files", "*.txt")).toBe("notes.txt\n");
});

test("many paths of one command are looked at as each alone is", () => {
  const root = realpathSync(temporaryFolder());
  const folder = join(root, "work");
  mkdirSync(join(folder, "a", "b"), { recursive: true });
  mkdirSync(join(root, "out"));
  for (const path of ["work/f", "work/a/f", "work/a/b/.env", "out/f"]) writeFileSync(join(root, path), "");
  symlinkSync("../../out", join(folder, "a", "out"));
  symlinkSync("a/b", join(folder, "in"));
  symlinkSync("../a", join(folder, "a", "up"));
  symlinkSync("loop", join(folder, "loop"));
  symlinkSync("/proc", join(folder, "p"));
  const entry: ExecEntry = { program: "git", args: ["add", { rest: "relpath" }] };
  const name = fc.constantFrom("a", "b", "f", ".env", "out", "in", "up", "loop", "p", "..", ".", "none");
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
  const stays = (paths: readonly string[], looked?: Looked) => staysInFolder(entry, ["add", ...paths], folder, looked);
  const isInside = (one: string): boolean => {
    const target = realTarget(join(folder, one), true);
    return target !== undefined && (target === folder || target.startsWith(`${folder}/`));
  };
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 6 }), (paths) => {
      const looked = new Looked();
      const each = paths.map((one) => stays([one]));
      expect(paths.map((one) => stays([one], looked))).toEqual(each);
      expect(stays(paths)).toBe(each.every(Boolean));
      for (const [at, one] of paths.entries()) if (each[at]) expect(isInside(one), one).toBe(true);
    }),
  );
});

describe("many paths of one command", () => {
  const entry: ExecEntry = { program: "cat", args: [{ rest: "relpath" }] };
  const many = (count: number, path: (at: number) => string): string[] =>
    Array.from({ length: count }, (_, at) => path(at));

  test("share what is looked up of their folder, be it behind a link or not there", () => {
    const folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, "a", "b"), { recursive: true });
    symlinkSync("a/b", join(folder, "in"));
    for (const above of ["a/b", "in", "none/of/them"])
      expect(
        staysInFolder(
          entry,
          many(990, (at) => `${above}/c${at}`),
          folder,
        ),
        above,
      ).toBe(true);
  });

  test("are refused when their links take too many steps, and the same in a second look", () => {
    const folder = realpathSync(temporaryFolder());
    const deep = Array.from({ length: 80 }, () => "d").join("/");
    mkdirSync(join(folder, deep), { recursive: true });
    for (const at of many(990, String)) symlinkSync(deep, join(folder, `l${at}`));
    const through = (count: number): boolean =>
      staysInFolder(
        entry,
        many(count, (at) => `l${at}/x`),
        folder,
      );
    expect([through(15), through(30), through(990)]).toEqual([true, false, false]);
    const looked = new Looked();
    const shared = [10, 20, 30].map((count) =>
      staysInFolder(
        entry,
        many(count, (at) => `l${at}/x`),
        folder,
        looked,
      ),
    );
    expect(shared).toEqual([true, true, false]);
  });
});

test.each<[entry: ExecEntry["args"], args: string[], stays: boolean]>([
  [["diff", { kind: "ref" }, { kind: "ref" }], ["diff", "docs", "src"], false],
  [["diff", { kind: "ref" }, { kind: "ref" }], ["diff", "main", "docs"], false],
  [["diff", { kind: "ref" }, { kind: "ref" }], ["diff", "main", "feature/docs"], true],
  [["diff", { rest: "ref" }], ["diff", "docs", "link"], false],
  [["diff", { kind: "relpath" }, { kind: "relpath" }], ["diff", "docs", "src"], true],
  [["diff", "docs", "src"], ["diff", "docs", "src"], true],
])("of git %j, %j means no folder unless the grant says that it may", (args, given, stays) => {
  const folder = realpathSync(temporaryFolder());
  for (const name of ["docs", "src"]) mkdirSync(join(folder, name));
  symlinkSync("src", join(folder, "link"));
  expect(staysInFolder({ program: "git", args }, given, folder)).toBe(stays);
});

const CAT = { program: "cat", args: [{ kind: "relpath" as const }] };

test.each<[programs: ExecEntry[], reads: string[], way: string, done: boolean]>([
  [[CAT], [], 'fs.linkSync("../outside/diary", "plain")', false],
  [[CAT], [], 'fs.renameSync("../outside/diary", "plain")', false],
  [[CAT], [], 'fs.renameSync("../outside", "inside")', false],
  [[CAT], [], 'fs.renameSync(".env", "plain")', false],
  [[{ program: "cat", args: ["plain"] }], [], 'fs.renameSync("../outside/diary", "plain")', false],
  [[{ program: "cat", args: ["plain"] }], [], 'fs.renameSync("../outside/diary", "other")', true],
  [[{ program: "cat", args: [{ kind: "enum", values: ["plain"] }] }], [], 'fs.linkSync(".env", "plain")', false],
  [[{ ...CAT, cwd: "$CWD/sub/**" }], [], 'fs.renameSync("../outside/diary", "sub/in/plain")', false],
  [[{ ...CAT, cwd: "$CWD/sub/**" }], [], 'fs.renameSync("../outside/diary", "plain")', true],
  [[{ program: "git", args: ["add", { rest: "relpath" }] }], [], 'fs.linkSync(".env", "plain")', false],
  [[{ program: "date", args: [] }], [], 'fs.renameSync("../outside/diary", "plain")', true],
  [[CAT], ["{F}/outside/**"], 'fs.renameSync("../outside/diary", "plain")', true],
  [[CAT], [], 'fs.renameSync("mine", "plain")', true],
  [[CAT], [], 'fs.renameSync("mine", "../outside/mine")', true],
])("with programs %j and files to read %j: %s", async (programs, reads, way, done) => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "outside/diary": "a secret",
    "work/.env": "a secret",
    "work/mine": "mine",
    "work/sub/in/a": "",
  });
  const { call } = await startSession(
    {
      mover: {
        source: onToolCall(
          `try { ${way}; } catch (error: any) { return { block: true, reason: error.code }; } return { block: true, reason: "done" };`,
          `import fs from "node:fs";`,
        ),
        grant: {
          capabilities: {
            events: { see: ["tool_call"], block: true },
            exec: programs,
            fs: {
              read: reads.map((one) => one.replace("{F}", folder)),
              write: ["$CWD/**", "$CWD/.env", `${folder}/outside/**`, `${folder}/outside`],
            },
          },
        },
      },
    },
    { cwd: join(folder, "work") },
  );
  expect(await call()).toMatchObject({ reason: done ? "done" : expect.stringMatching(/NOT_GRANTED/) });
});

test.each([
  ["cat", ["cat", "f.txt"]],
  ["git", ["git", "blame", "--contents", "f.txt", "f.txt"]],
] as const)("a file that became a link after it was looked at is not opened by %s", async (_name, command) => {
  const [program, ...args] = command;
  const folder = realpathSync(temporaryFolder());
  const place = join(folder, "work", "f.txt");
  const session = await startSession(
    {
      runs: {
        source: onToolCall(
          `const done = await ctx.exec(${JSON.stringify(program)}, ${JSON.stringify(args)}); return { block: true, reason: [done.code, done.stdout, done.stderr].join() };`,
        ),
        grant: {
          capabilities: {
            events: { see: ["tool_call"], block: true },
            exec: [{ program, args: args.map((arg) => (arg === "f.txt" ? { kind: "relpath" } : arg)) }],
          },
        },
      },
    },
    {
      cwd: join(folder, "work"),
      // As a second process could, right after the path was looked at.
      onAudit: ({ capability }) => {
        if (capability !== "exec") return;
        rmSync(place);
        symlinkSync(join(folder, "secret"), place);
      },
    },
  );
  writeFileSync(join(folder, "secret"), "a token\n");
  mkdirSync(join(folder, "work"));
  writeFileSync(place, "plain\n");
  for (const more of [
    ["init", "-q"],
    ["add", "."],
  ])
    execFileSync("git", more, { cwd: join(folder, "work") });
  const verdict = await session.call();
  expect(verdict).toMatchObject({ reason: expect.stringContaining("leads elsewhere than when it was looked at") });
  expect(JSON.stringify(verdict)).not.toContain("a token");
});

test("while a program that was told paths runs, its hook moves no link or folder and makes none", async () => {
  const { call, folder } = await startSession({
    mover: {
      source: onToolCall(
        `const running = ctx.exec("tail", ["-f", "f.txt"]);
         await new Promise((done) => setTimeout(done, 100));
         const tries = { link: () => fs.promises.symlink("f.txt", "l2"), linkMoved: () => fs.promises.rename("l", "m"), folder: () => fs.promises.rename("d", "e"), file: () => fs.promises.rename("a.txt", "b.txt"), write: () => fs.promises.writeFile("c.txt", "c") };
         const during: any = {}; for (const [name, act] of Object.entries(tries)) during[name] = await act().then(() => "done", (error: any) => error.code);
         await running;
         const after = await fs.promises.rename("d", "e").then(() => "done", (error: any) => error.code);
         return { block: true, reason: JSON.stringify({ ...during, after }) };`,
        `import fs from "node:fs";`,
      ),
      grant: {
        capabilities: {
          events: { see: ["tool_call"], block: true },
          exec: [{ program: "tail", args: ["-f", { kind: "relpath" }], timeoutMs: 1500 }],
          fs: { read: ["$CWD/**"], write: ["$CWD/**"] },
        },
      },
    },
  });
  const work = join(folder, "work");
  mkdirSync(join(work, "d"));
  for (const name of ["f.txt", "a.txt"]) writeFileSync(join(work, name), "");
  symlinkSync("f.txt", join(work, "l"));
  const verdict = await call();
  expect(JSON.parse((verdict as { reason: string }).reason)).toEqual({
    ...{ link: "EBUSY", linkMoved: "EBUSY", folder: "EBUSY", file: "done", write: "done", after: "done" },
  });
});
