/**
 * What git stores of an index of a hook's own, a plain checkout puts into the work tree later: an entry that the current commit does
 * not have counts as written.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { entriesAlone } from "../../src/powers/exec-git-index-paths.ts";
import { StoredChanges } from "../../src/powers/exec-git-stored.ts";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { onToolCall, sharedSession, writeFiles } from "../support/session.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

const FILE = 0o100644;
const PROGRAM = 0o100755;
const LINK = 0o120000;
/** Of the second word of an entry's flags: it is to be added later, and no commit has it. */
const LATER = 0x2000;

interface Entry {
  readonly path: string;
  readonly content: string;
  readonly mode?: number;
  readonly flags?: number;
  readonly stage?: number;
}

const hashOf = (content: string): Buffer =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest();

/** An index of version 3 with these entries, as a hook may write one. */
function indexOf(entries: readonly Entry[]): Buffer {
  const sorted = [...entries].sort((one, other) => (one.path < other.path ? -1 : 1));
  const written = sorted.map(({ path, content, mode = FILE, flags = 0, stage = 0 }) => {
    const entry = Buffer.alloc((64 + path.length + 8) & ~7);
    entry.writeUInt32BE(mode, 24);
    hashOf(content).copy(entry, 40);
    entry.writeUInt16BE(0x4000 | (stage << 12) | path.length, 60);
    entry.writeUInt16BE(flags, 62);
    entry.write(path, 64);
    return entry;
  });
  const head = Buffer.from("DIRC\0\0\0\x03\0\0\0\0", "latin1");
  head.writeUInt32BE(entries.length, 8);
  const whole = Buffer.concat([head, ...written]);
  return Buffer.concat([whole, createHash("sha1").update(whole).digest()]);
}

const HONEST = '{"name":"honest"}\n';
const EVIL = '{"name":"evil","scripts":{"postinstall":"id"}}\n';

/** What the first commit has. */
const FIRST: readonly Entry[] = [
  { path: "a.txt", content: "a\n" },
  { path: "link", content: "a.txt", mode: LINK },
  { path: "package.json", content: HONEST },
  { path: "src/x.ts", content: "x\n" },
];
/** Of these, what a stash may have. */
const ORDINARY = FIRST.filter(({ path }) => path === "a.txt" || path === "src/x.ts");

/** The same entries, with these in place of theirs or besides. */
const changed = (entries: readonly Entry[], ...others: readonly Entry[]): readonly Entry[] => [
  ...entries.filter(({ path }) => !others.some((other) => other.path === path)),
  ...others,
];
const without = (entries: readonly Entry[], gone: string): readonly Entry[] =>
  entries.filter(({ path }) => path !== gone);

/** Runs commands one after the other, those with `own` on the index that it writes. `STORED` stands for what the last one said. */
const HOOK = onToolCall(
  `const { index, commands } = event.input;
   if (index) fs.writeFileSync("own/index", Buffer.from(index, "base64"));
   let said = "";
   for (const [args, own] of commands) {
     const env = own ? { ...process.env, GIT_INDEX_FILE: process.cwd() + "/own/index" } : process.env;
     const words = args.map((arg: string) => (arg === "STORED" ? said.trim() : arg));
     try { said = execFileSync("git", words, { encoding: "utf8", stdio: "pipe", env }); }
     catch (error: any) { return { block: true, reason: error.code + " " + error.stderr }; }
   }
   return { block: true, reason: said || "done" };`,
  `import fs from "node:fs";\nimport { execFileSync } from "node:child_process";`,
);
const own = (...args: ExecGrant[number]["args"]): ExecGrant[number] => ({
  program: "git",
  args,
  env: { GIT_INDEX_FILE: "$CWD/own/index" },
});
const EXEC: ExecGrant = [
  own("commit", "-qm", "checkpoint"),
  own("commit", "--amend", "-qm", "checkpoint"),
  own("stash", "create"),
  own("checkout", "--", { kind: "relpath" }),
  own("add", "-A"),
  { program: "git", args: ["stash", "apply", { kind: "sha" }] },
  { program: "git", args: ["checkout", "-q", { kind: "ref" }] },
  { program: "git", args: ["symbolic-ref", { kind: "ref" }, { kind: "ref" }] },
];
type Command = readonly [args: readonly string[], own?: "own"];

/**
 * A repository whose first commit has these entries, and a hook that may write its own index and what is named. Each test has it as
 * it was after that commit.
 */
function world(first: readonly Entry[], write: readonly string[]) {
  const session = sharedSession({
    gate: {
      source: HOOK,
      grant: {
        capabilities: {
          events: { see: ["tool_call"], block: true },
          exec: EXEC,
          fs: { write: ["$CWD/own/index", ...write] },
        },
      },
    },
  });
  const at = (...path: string[]): string => join(session.folder, "work", ...path);
  const call = (...args: string[]): string => git(at(), ...args);
  beforeEach(() => {
    rmSync(at(), { recursive: true, force: true });
    writeFiles(at(), { "own/kept": "" });
    call("init", "-qb", "main");
    writeFiles(at(), { ".git/info/exclude": "own\n" });
    call("config", "user.name", "a");
    call("config", "user.email", "a@b");
    for (const { path, content, mode } of first)
      if (mode === LINK) symlinkSync(content, at(path));
      else writeFiles(at(), { [path]: content });
    // What `git add` makes of files that the hook may write.
    for (const input of [EVIL, "a\n", "/etc/passwd"])
      execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: at(), input });
    if (first.length === 0) return;
    call("add", "-A");
    call("commit", "-qm", "first");
    call("tag", "first");
  });
  return {
    at,
    git: call,
    /** What the last command said, or the first that failed. */
    run: async (commands: readonly Command[], index?: readonly Entry[]): Promise<string> => {
      const verdict = await session.call({ commands, index: index ? indexOf(index).toString("base64") : "" });
      return verdict && "reason" in verdict ? String(verdict.reason) : "";
    },
  };
}

const COMMIT: Command = [["commit", "-qm", "checkpoint"], "own"];
const AMEND: Command = [["commit", "--amend", "-qm", "checkpoint"], "own"];
const STASH: Command = [["stash", "create"], "own"];
const CHECKOUT: Command = [["checkout", "--", "."], "own"];

// biome-ignore format: a table
const CHANGES: [what: string, index: readonly Entry[] | undefined, says: RegExp][] = [
  ["replaces what is loaded as code", changed(FIRST, { path: "package.json", content: EVIL }), /it changes package\.json, which takes/],
  ["makes a CI file", changed(FIRST, { path: ".github/workflows/ci.yml", content: EVIL }), /it changes \.github\/workflows\/ci\.yml, which takes/],
  ["replaces a source file", changed(FIRST, { path: "src/x.ts", content: EVIL }), /it changes src\/x\.ts, which takes/],
  ["makes a source file", changed(FIRST, { path: "src/y.ts", content: EVIL }), /it changes src\/y\.ts, which takes/],
  ["makes a file a program", changed(FIRST, { path: "a.txt", content: "a\n", mode: PROGRAM }), /it changes a\.txt, which takes/],
  ["makes a file of a link", changed(FIRST, { path: "link", content: "a.txt" }), /it changes link, which takes/],
  ["removes a file", without(FIRST, "package.json"), /it leaves out package\.json, which takes/],
  ["removes a link", without(FIRST, "link"), /it leaves out link, which takes/],
  ["puts a file off, which removes it", changed(FIRST, { path: "package.json", content: HONEST, flags: LATER }), /it changes package\.json, which takes/],
  ["makes a conflict of a file", changed(FIRST, { path: "package.json", content: HONEST, stage: 2 }), /it changes package\.json, which takes/],
  ["has nothing", [], /it leaves out a\.txt, which takes/],
  ["is not there", undefined, /it leaves out a\.txt, which takes/],
];

describe("a hook that may write one file", () => {
  const { at, git, run } = world(FIRST, ["$CWD/mine.txt"]);

  test("brings no other into the work tree by a commit of its own index and a plain checkout", async () => {
    const index = changed(
      FIRST,
      { path: "package.json", content: EVIL },
      { path: ".github/workflows/ci.yml", content: EVIL },
    );
    const said = await run([COMMIT, [["checkout", "-q", "first"]], [["checkout", "-q", "main"]]], index);
    expect(readFileSync(at("package.json"), "utf8")).toBe(HONEST);
    expect(existsSync(at(".github"))).toBe(false);
    expect(said).toMatch(
      /cordon: the index cannot be used: it changes \.github\/workflows\/ci\.yml, which takes fs\.write of that path/,
    );
  });

  test.each([
    ...CHANGES.map((row) => [COMMIT, ...row] as const),
    ...CHANGES.slice(0, 1).map(([what, ...row]) => [AMEND, `${what}, in the place of the last`, ...row] as const),
  ])("makes no commit of an index that %2$s", async (command, _what, index, says) => {
    const said = await run([command], index);
    expect(git("diff", "--stat", "first", "main")).toBe("");
    expect(git("rev-parse", "main")).toBe(git("rev-parse", "first"));
    expect(said).toMatch(says);
  });

  test("commits nothing of another commit that it puts in the place of the current one", async () => {
    git("checkout", "-qb", "other");
    writeFiles(at(), { "package.json": EVIL });
    git("commit", "-qam", "other");
    git("checkout", "-q", "main");
    const replaces = `refs/replace/${git("rev-parse", "main").trim()}`;
    const index = changed(FIRST, { path: "package.json", content: EVIL }, { path: "mine.txt", content: "a\n" });
    const said = await run([[["symbolic-ref", replaces, "refs/heads/other"]], COMMIT], index);
    expect(git("--no-replace-objects", "diff", "--stat", "first", "main")).toBe("");
    expect(said).toMatch(/it changes package\.json, which takes/);
  });

  test("commits it beside all that the commit before has", async () => {
    const index = changed(FIRST, { path: "mine.txt", content: EVIL });
    expect(await run([COMMIT], index)).toBe("done");
    expect(git("diff", "--name-status", "first", "main")).toBe("A\tmine.txt\n");
  });
});

// biome-ignore format: a table
const LINKS: [what: string, index: readonly Entry[], path: string][] = [
  ["is new", changed(FIRST, { path: "mine.txt", content: "a.txt", mode: LINK }), "mine.txt"],
  ["takes a file's place", changed(FIRST, { path: "a.txt", content: "/etc/passwd", mode: LINK }), "a.txt"],
  ["leads elsewhere", changed(FIRST, { path: "link", content: "/etc/passwd", mode: LINK }), "link"],
];
// biome-ignore format: a table
const WRITTEN: [what: string, index: readonly Entry[], differs: string][] = [
  ["files that are new and changed", changed(FIRST, { path: "src/x.ts", content: "a\n", mode: PROGRAM }, { path: "src/y.ts", content: "a\n" }), "M\tsrc/x.ts\nA\tsrc/y.ts\n"],
  ["one of code that its grant names", changed(FIRST, { path: "package.json", content: EVIL }), "M\tpackage.json\n"],
  ["one less", without(FIRST, "link"), "D\tlink\n"],
];

describe("a hook that may write the whole project", () => {
  const { git, run } = world(FIRST, ["$CWD/**", "$CWD/package.json"]);

  test.each(LINKS)("commits no link that %s", async (_what, index, path) => {
    const said = await run([COMMIT], index);
    expect(git("rev-parse", "main")).toBe(git("rev-parse", "first"));
    expect(said).toContain(`it changes ${path}, which is a link`);
  });

  test.each(WRITTEN)("commits %s", async (_what, index, differs) => {
    expect(await run([COMMIT], index)).toBe("done");
    expect(git("diff", "--no-renames", "--name-status", "first", "main")).toBe(differs);
  });
});

// biome-ignore format: a table
const OF_FILES: typeof CHANGES = [
  ["replaces a source file", changed(ORDINARY, { path: "src/x.ts", content: EVIL }), /it changes src\/x\.ts, which takes/],
  ["makes a source file", changed(ORDINARY, { path: "src/y.ts", content: EVIL }), /it changes src\/y\.ts, which takes/],
  ["makes a file a program", changed(ORDINARY, { path: "a.txt", content: "a\n", mode: PROGRAM }), /it changes a\.txt, which takes/],
];
// biome-ignore format: a table
const REMOVING: typeof CHANGES = [
  ["removes a file", without(ORDINARY, "a.txt"), /it leaves out a\.txt, which takes/],
  ["is not there", undefined, /it leaves out a\.txt, which takes/],
];

describe("a hook that may write no file", () => {
  const { git, run } = world(ORDINARY, []);

  test.each([...OF_FILES, ...REMOVING])("stashes no index that %s, and so applies none", async (_what, index, says) => {
    const said = await run([STASH, [["stash", "apply", "STORED"]]], index);
    expect(git("status", "--porcelain")).toBe("");
    expect(said).toMatch(says);
  });

  test.each(OF_FILES)("checks out no index that %s", async (_what, index, says) => {
    const said = await run([CHECKOUT], index);
    expect(git("status", "--porcelain")).toBe("");
    expect(said).toMatch(says);
  });

  test("commits, stashes and checks out what the commit before has", async () => {
    expect(await run([CHECKOUT, STASH, [["commit", "--amend", "-qm", "checkpoint"], "own"]], ORDINARY)).toBe("done");
    expect(git("diff", "--stat", "first", "main")).toBe("");
  });
});

const entries = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom("a", "b", "c/d", "c/e"),
    content: fc.constantFrom("1", "2"),
    mode: fc.constantFrom(FILE, PROGRAM, LINK),
    flags: fc.constantFrom(0, 0, LATER),
  }),
  { selector: ({ path }) => path },
);

test("an index is stored just where all that it changes may be written, and none of that is a link", async () => {
  const seen = { true: 0, false: 0 };
  const judged = fc.asyncProperty(entries, entries, fc.subarray(["a", "b", "c/d", "c/e"]), async (before, now, may) => {
    const stateOf = ({ mode, content }: Required<Pick<Entry, "mode" | "content">>): string =>
      `${mode.toString(8)} ${hashOf(content).toString("hex")}`;
    const committed = new Map(before.map((entry) => [entry.path, stateOf(entry)]));
    const changes = new StoredChanges(committed, (path) => may.includes(path));
    const stored = await entriesAlone(indexOf(now), { may: () => true, links: true, hashBytes: 20, changes })
      .then(() => changes.end())
      .then(
        () => true,
        () => false,
      );
    const changed = now.filter((entry) => entry.flags === LATER || committed.get(entry.path) !== stateOf(entry));
    const removed = before.filter(({ path }) => !now.some((entry) => entry.path === path));
    const allowed = [...changed, ...removed].every(({ path }) => may.includes(path));
    expect(stored).toBe(allowed && changed.every(({ mode }) => mode !== LINK));
    seen[`${stored}`]++;
  });
  await fc.assert(judged, { numRuns: 1000 });
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(50);
});

describe("where there is no commit yet", () => {
  const { git, run } = world([], ["$CWD/mine.txt"]);

  test.each([
    ["a file that the hook may write is committed", [{ path: "mine.txt", content: "a\n" }], /^done$/, "mine.txt\n"],
    [
      "no other is",
      [
        { path: "mine.txt", content: "a\n" },
        { path: "z.txt", content: "a\n" },
      ],
      /it changes z\.txt, which takes/,
      "",
    ],
  ])("%s", async (_claim, index, says, listed) => {
    expect(await run([COMMIT], index)).toMatch(says);
    expect(git("log", "--all", "--name-only", "--format=").trim()).toBe(listed.trim());
  });
});

describe("a hook that makes checkpoints with an index that git fills", () => {
  const { at, git, run } = world(ORDINARY, ["$CWD/**"]);

  test("makes them of all that it may write, and puts them back", async () => {
    writeFiles(at(), { "src/x.ts": "x\nmore\n", "src/new.ts": "new\n" });
    const add: Command = [["add", "-A"], "own"];
    const stored = (await run([add, STASH])).trim();
    expect(git("ls-tree", "-r", "--name-only", stored)).toBe("a.txt\nsrc/new.ts\nsrc/x.ts\n");
    rmSync(at("src", "new.ts"));
    writeFiles(at(), { "src/x.ts": "x\n" });
    await run([[["stash", "apply", stored]]]);
    expect(readFileSync(at("src", "x.ts"), "utf8")).toBe("x\nmore\n");
    expect(await run([add, COMMIT])).toBe("done");
    expect(git("diff", "--stat", "first", "main", "--", "src/x.ts")).toContain("1 insertion");
  });
});
