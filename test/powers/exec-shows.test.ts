/**
 * What a hook may write and not read, it does not read by a granted program or as a database either: no file takes the place of one that
 * these show, and no link of the hook's leads them to it.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type ExecGrant, faultOf } from "../../src/powers/exec-grant.ts";
import type { SqliteGrant } from "../../src/powers/sqlite-grant.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

interface Granted {
  exec?: ExecGrant;
  sqlite?: SqliteGrant;
  read?: string[];
  write: string[];
}

const program = (name: string, ...args: ExecGrant[number]["args"]): ExecGrant[number] => ({ program: name, args });
const git = (...args: ExecGrant[number]["args"]): ExecGrant[number] => program("git", ...args);

/** Does this in a repository with secrets, and says what the hook got or which code refused it. */
async function said({ exec, sqlite, read, write }: Granted, body: string): Promise<string> {
  const folder = temporaryFolder();
  const cwd = join(folder, "work");
  writeFiles(cwd, {
    ...{
      diary: "SECRET\n",
      plain: "plain\n",
      "private/note": "SECRET\n",
      ".env": "KEY=SECRET\n",
      "sub/kept": "",
      new: "new\n",
    },
    ".gitignore": "diary\n.env\n*.db\nprivate\n",
  });
  writeFiles(folder, { "out/kept": "" });
  const run = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });
  run("init", "-q");
  run("config", "user.name", "a");
  run("config", "user.email", "a@b");
  run("add", "plain", ".gitignore");
  run("commit", "-qm", "x");
  const database = new DatabaseSync(join(cwd, "private", "own.db"));
  database.exec("create table t(x); insert into t values('SECRET')");
  database.close();
  const out = join(folder, "out");
  const filled = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("OUT", out));
  const source = onToolCall(
    `const run = async (program: string, ...args: string[]) => { const done = await ctx.exec(program, args); return done.stdout + done.stderr; };
     const rows = (path: string) => JSON.stringify(new DatabaseSync(path, { readOnly: true }).prepare("select * from t").all());
     try { return { block: true, reason: "said " + await (async () => { ${body.replaceAll("OUT", out)} })() }; }
     catch (error: any) { return { block: true, reason: error.code + " " + error.message }; }`,
    `import fs from "node:fs"; import { DatabaseSync } from "node:sqlite";`,
  );
  const powers = { fs: { write, ...(read ? { read } : {}) }, ...(exec ? { exec } : {}), ...(sqlite ? { sqlite } : {}) };
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, ...filled(powers) } };
  const { call } = await startSession({ gate: { source, grant } }, { cwd });
  const verdict = await call("x");
  return verdict && "reason" in verdict ? String(verdict.reason) : "";
}

const CWD = ["$CWD/**", "$CWD/.env"];
const CAT = [program("cat", "plain")];
const DIFF = [git("diff")];
const moves = (to: string, then: string): string => `fs.renameSync(".env", "${to}"); return ${then};`;

// biome-ignore format: a table
const ATTACKS: [claim: string, granted: Granted, body: string][] = [
  ["a file that cat shows", { exec: CAT, write: CWD }, `fs.renameSync("diary", "plain"); return run("cat", "plain");`],
  ["a link to it", { exec: CAT, write: CWD }, `fs.unlinkSync("plain"); fs.symlinkSync("diary", "plain"); return run("cat", "plain");`],
  ["a link, as one of several names", { exec: [program("cat", { kind: "enum", values: ["plain", "b"] })], write: CWD }, `fs.symlinkSync("diary", "b"); return run("cat", "b");`],
  ["a link to its folder", { exec: [program("cat", "d/note")], write: CWD }, `fs.symlinkSync("private", "d"); return run("cat", "d/note");`],
  ["a link over another link", { exec: CAT, write: CWD }, `fs.unlinkSync("plain"); fs.symlinkSync("diary", "b"); fs.symlinkSync("b", "plain"); return run("cat", "plain");`],
  ["a link outside of the folder", { exec: [program("cat", "OUT/log")], write: ["OUT/log", ...CWD] }, `fs.symlinkSync(ctx.cwd + "/.env", "OUT/log"); return run("cat", "OUT/log");`],
  ["git's differences", { exec: DIFF, write: CWD }, moves("plain", `run("git", "diff")`)],
  ["another name, in git's differences", { exec: DIFF, write: CWD }, `fs.unlinkSync("plain"); fs.linkSync(".env", "plain"); return run("git", "diff");`],
  ["a folder, in git's differences", { exec: [git("add", "-A"), git("diff", "--cached")], write: [...CWD, "$CWD/.ssh/**"] }, `fs.mkdirSync(".ssh"); fs.renameSync(".env", ".ssh/x"); fs.renameSync(".ssh", "s"); await run("git", "add", "-A"); return run("git", "diff", "--cached");`],
  ["what git adds", { exec: [git("add", "-A"), git("diff", "--cached")], write: CWD }, moves("new", `await run("git", "add", "-A") + await run("git", "diff", "--cached")`)],
  ["what git stashes", { exec: [git("stash", "create"), git("show", { kind: "sha" })], write: CWD }, moves("plain", `run("git", "show", (await run("git", "stash", "create")).trim())`)],
  ["a verbose status", { exec: [git("add", "-A"), git("status", "-v")], write: CWD }, moves("new", `await run("git", "add", "-A") + await run("git", "status", "-v")`)],
  ["a message from a file", { exec: [git("commit", "--allow-empty", "--file=msg"), git("rev-parse", "HEAD")], write: ["$CWD/msg", "$CWD/.env"] }, moves("msg", `run("git", "commit", "--allow-empty", "--file=msg")`)],
  ["contents to blame", { exec: [git("blame", "--contents=x", "plain")], write: ["$CWD/x", "$CWD/.env"] }, moves("x", `run("git", "blame", "--contents=x", "plain")`)],
  ["a list of dates", { exec: [program("date", "--file=list")], write: ["$CWD/list", "$CWD/.env"] }, moves("list", `run("date", "--file=list")`)],
  ["a list of dates, shortly", { exec: [program("date", "-flist")], write: ["$CWD/list", "$CWD/.env"] }, moves("list", `run("date", "-flist")`)],
  ["a list of dates that is a link", { exec: [program("date", "--file=list")], write: ["$CWD/**"] }, `fs.symlinkSync("diary", "list"); return run("date", "--file=list");`],
  ["a database", { sqlite: [{ path: "$CWD/notes.db" }], write: ["$CWD/**"] }, `fs.renameSync("private/own.db", "notes.db"); return rows("notes.db");`],
  ["another name of a database", { sqlite: [{ path: "$CWD/notes.db" }], write: ["$CWD/**"] }, `fs.linkSync("private/own.db", "notes.db"); fs.unlinkSync("private/own.db"); return rows("notes.db");`],
  ["the log of a database", { sqlite: [{ path: "$CWD/notes.db", write: true }], write: ["$CWD/**"] }, `fs.renameSync("private/note", "notes.db-wal"); return rows("notes.db");`],
  ["the journal of a database", { sqlite: [{ path: "$CWD/notes.db", write: true }], write: ["$CWD/**"] }, `fs.renameSync("private/note", "notes.db-journal"); return rows("notes.db");`],
  ["the folder of a database", { sqlite: [{ path: "$CWD/.cache/**" }], write: ["$CWD/**"] }, `fs.renameSync("private", ".cache"); return rows(".cache/own.db");`],
];

test.each(sampled(ATTACKS, 3))("a write-only file is not read as %s", async (_claim, granted, body) => {
  const told = await said(granted, body);
  expect(told).not.toContain("SECRET");
  expect(told).toMatch(/NOT_GRANTED/);
});

/** Programs that show something, and not what is in any file that may be written. */
const HARMLESS: ExecGrant[] = [
  [git("log", "--oneline")],
  [git("diff")],
  [git("ls-files", { rest: "relpath" })],
  [git("commit", "-m", { kind: "text" })],
  [program("ls", { kind: "relpath" })],
  [program("head", "-n1", { kind: "relpath" })],
  [program("cat", "--number", { kind: "relpath" })],
];

test.each(HARMLESS.map((exec) => [exec]))(
  "a write-only file is not moved to where it is read, with %j",
  async (exec) => {
    const told = await said(
      { exec, read: ["$CWD/sub/**"], write: CWD },
      `fs.renameSync("private/note", "sub/note"); return fs.readFileSync("sub/note", "utf8");`,
    );
    expect(told).toMatch(/^NOT_GRANTED/);
  },
);

test("nor is one that the hook adds to: another may have done so, too", async () => {
  const granted = { read: ["$CWD/sub/**"], write: CWD };
  const body = `fs.writeFileSync("mine", "one"); fs.appendFileSync("mine", "two"); fs.renameSync("mine", "sub/mine"); return "moved";`;
  expect(await said(granted, body)).toMatch(/^NOT_GRANTED/);
});

test("nor is one that another has changed since the hook wrote it", async () => {
  const change = `await ctx.exec("cp", ["diary", "sub/mine"]);`;
  const granted = {
    exec: [{ ...program("cp", "diary", "sub/mine"), fullAccess: true }],
    read: ["$CWD/out/**"],
    write: [...CWD, "$CWD/out/**"],
  };
  const body = (then: string): string =>
    `fs.writeFileSync("sub/mine", "SECRET"); ${then} fs.mkdirSync("out"); fs.renameSync("sub/mine", "out/mine"); return fs.readFileSync("out/mine", "utf8");`;
  expect(await said(granted, body(""))).toBe("said SECRET");
  expect(await said(granted, body(change))).toMatch(/^NOT_GRANTED/);
});

// biome-ignore format: a table
const HONEST: [claim: string, granted: Granted, body: string, says: RegExp][] = [
  ["writes a file beside it and renames that", { exec: DIFF, write: ["$CWD/plain", "$CWD/plain.tmp"] }, `fs.writeFileSync("plain.tmp", "other"); fs.renameSync("plain.tmp", "plain"); return run("git", "diff");`, /^said [\s\S]*\+other/],
  ["writes a file and renames it twice, to where it reads it", { exec: DIFF, read: ["$CWD/plain"], write: ["$CWD/plain", "$CWD/tmp", "$CWD/tmp2"] }, `fs.writeFileSync("tmp", "one"); fs.chmodSync("tmp", 0o600); fs.renameSync("tmp", "tmp2"); fs.renameSync("tmp2", "plain"); return fs.readFileSync("plain", "utf8");`, /^said one/],
  ["moves what it did not write within the work tree, and reads nothing", { exec: [git("log", "--oneline"), ...DIFF], write: CWD }, `fs.appendFileSync("new", "more"); fs.renameSync("new", "old"); fs.mkdirSync("made"); fs.renameSync("made", "moved"); fs.renameSync("plain", "moved/plain"); return run("git", "log", "--oneline");`, /^said \w+ x/],
  ["moves a file that a program shows whole", { exec: [program("cat", { kind: "relpath" })], read: ["$CWD/sub/**"], write: CWD }, `fs.renameSync("new", "sub/new"); return fs.readFileSync("sub/new", "utf8");`, /^said new/],
  ["moves a secret beside a program that shows none", { exec: [git("status", "--short")], write: CWD }, `fs.renameSync(".env", "env.old"); return run("git", "status", "--short");`, /^said .*env\.old/],
  ["moves a database to another one", { sqlite: [{ path: "$CWD/**/*.db" }], write: ["$CWD/**"] }, `fs.renameSync("private/own.db", "notes.db"); return rows("notes.db");`, /^said .*SECRET/],
];

test.each(HONEST)("a hook %s", async (_claim, granted, body, says) => {
  expect(await said(granted, body)).toMatch(says);
});

test("a link of the person's is followed, where the hook may write elsewhere alone", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "real.md": "rules", "notes/kept": "" });
  execFileSync("ln", ["-s", "real.md", "note.md"], { cwd: folder });
  const source = onToolCall(`return { block: true, reason: (await ctx.exec("cat", ["note.md"])).stdout };`);
  const capabilities = { events: { see: ["tool_call"], block: true }, exec: [program("cat", "note.md")] };
  const may = async (write: string[]): Promise<unknown> =>
    (
      await startSession(
        { gate: { source, grant: { capabilities: { ...capabilities, fs: { write } } } } },
        { cwd: folder },
      )
    ).call("x");
  expect(await may(["$CWD/notes/**"])).toMatchObject({ reason: "rules" });
  expect(await may(["$CWD/*"])).toMatchObject({ reason: expect.stringContaining("was not granted exec") });
});

test.each(["--files0-from=list", "--files0-from", "--files0=list", "--f", "--fi=x"])(
  "wc is not granted with a list of files: %s",
  (arg) => {
    const entry = program("wc", "-c", arg);
    expect(faultOf(entry)).toContain('"fullAccess": true');
    expect(faultOf({ ...entry, fullAccess: true })).toBeUndefined();
  },
);
