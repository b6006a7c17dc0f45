/** An index of a hook's own: git does what its entries say wherever they lead, so they are looked at before. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesAlone } from "../../src/powers/exec-git-index-paths.ts";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** An index of version 2 with these entries, as a hook may write one. */
function indexOf(
  entries: readonly (readonly [path: string, mode?: number])[],
  hash = "0".repeat(40),
  parts = "",
): Buffer {
  const written = entries.map(([path, mode = 0o100644]) => {
    const name = Buffer.from(path);
    const flags = Buffer.alloc(2);
    flags.writeUInt16BE(Math.min(name.length, 0xfff));
    const entry = Buffer.concat([Buffer.alloc(24), u32(mode), Buffer.alloc(12), Buffer.from(hash, "hex"), flags, name]);
    return Buffer.concat([entry, Buffer.alloc(8 - (entry.length % 8))]);
  });
  const whole = Buffer.concat([
    Buffer.from("DIRC"),
    u32(2),
    u32(entries.length),
    ...written,
    Buffer.from(parts, "latin1"),
  ]);
  return Buffer.concat([whole, createHash("sha1").update(whole).digest()]);
}

/** What is wrong with an index, the paths that were asked about, and what git is given of it. */
async function looked(bytes: Buffer, { hashBytes = 20, links = true } = {}) {
  const paths: string[] = [];
  let fault: string | undefined;
  const given = await entriesAlone(bytes, { may: (path) => paths.push(path) > 0, links, hashBytes }).catch((error) => {
    fault = error.message;
  });
  return { fault, paths, given };
}

/** What git lists of an index. */
function listed(cwd: string, index: Buffer, ...settings: string[]): string[] {
  writeFileSync(join(cwd, "index"), index);
  const env = { ...process.env, GIT_INDEX_FILE: join(cwd, "index") };
  const args = [...settings, "ls-files", "-z", "--cached"];
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).split("\0").filter(Boolean);
}

const NAMES = ["a", "b/c", "b/cd", "b/ce/f", "größe", "x".repeat(250), " .git ignored", "z"];

// biome-ignore format: a table
test.each<[how: string, init: string[], make: (cwd: string) => void, hashBytes: number]>([
  ["of version 2", [], () => {}, 20],
  ["of version 3", [], (cwd) => { writeFiles(cwd, { later: "" }); git(cwd, "add", "-N", "later"); }, 20],
  ["of version 4", [], (cwd) => git(cwd, "update-index", "--index-version", "4"), 20],
  ["with trees", [], (cwd) => git(cwd, "commit", "-qm", "x"), 20],
  ["that knows untracked files", [], (cwd) => { git(cwd, "update-index", "--force-untracked-cache"); git(cwd, "status"); }, 20],
  ["with a conflict", [], (cwd) => { git(cwd, "update-index", "--force-remove", "a"); execFileSync("git", ["update-index", "--index-info"], { cwd, input: `100644 ${git(cwd, "hash-object", "-w", "z").trim()} 2\ta\n` }); }, 20],
  ["of longer hashes", ["--object-format=sha256"], () => {}, 32],
])("git's own index %s is read as git reads it", async (_how, init, make, hashBytes) => {
  const cwd = temporaryFolder();
  git(cwd, "init", "-q", ...init);
  writeFiles(cwd, Object.fromEntries(NAMES.map((name) => [name, name])));
  git(cwd, "add", "-A");
  make(cwd);
  const { fault, paths, given } = await looked(readFileSync(join(cwd, ".git", "index")), { hashBytes });
  expect(fault).toBeUndefined();
  expect(paths).toEqual(git(cwd, "ls-files", "-z").split("\0").filter(Boolean));
  expect(listed(cwd, given as Buffer)).toEqual(paths);
  expect((given as Buffer).toString("latin1")).not.toMatch(/TREE|REUC|UNTR|FSMN/);
  execFileSync("git", ["fsck"], { cwd, env: { ...process.env, GIT_INDEX_FILE: join(cwd, "index") }, stdio: "pipe" });
});

const THERE = NAMES.slice(0, 3).map((name) => [name] as const);
// biome-ignore format: a table
const WRONG: [what: string, bytes: Buffer, says: RegExp][] = [
  ...["../x", "a/../../x", "/etc/x", "a//b", "./a", "a/.", ".git/hooks/x", "a/.GIT/x", ".git./x", "git~1/x", "..", "a\\b", "c:x", ".g\u200cit/x"]
    .map((path): [string, Buffer, RegExp] => [`the name ${path}`, indexOf([...THERE, [path]]), /which is no file of the work tree/]),
  ["no name", indexOf([[""]]), /not as long as it says/],
  ["a repository inside this one", indexOf([["a", 0o160000]]), /names a, which is no file/],
  ["a folder", indexOf([["a", 0o040000]]), /names a, which is no file/],
  ["another index", indexOf(THERE, undefined, `link${"\0".repeat(3)}\x14${"\0".repeat(20)}`), /a part link/],
  ["places of entries", indexOf(THERE, undefined, `IEOT${"\0".repeat(4)}`), /a part IEOT/],
  ["where its entries end", indexOf(THERE, undefined, `EOIE${"\0".repeat(4)}`), /a part EOIE/],
  ["a part that is longer than it", indexOf(THERE, undefined, "TREE\0\0\xff\xff"), /does not end with it/],
  ["a part twice", indexOf(THERE, undefined, "TREE\0\0\0\0".repeat(2)), /a part TREE/],
  ["a name that is longer than any path", indexOf([["a".repeat(4097)]]), /more than 4096 bytes/],
  ["a name of more parts than any path has", indexOf([[`${"a/".repeat(100)}a`]]), /too deep/],
  ["more entries than it has", Buffer.concat([Buffer.from("DIRC"), u32(2), u32(9), indexOf(THERE).subarray(12)]), /ends in the middle|no end|not as long/],
  ["an unknown version", Buffer.concat([Buffer.from("DIRC"), u32(5), indexOf(THERE).subarray(8)]), /version 5/],
  ["another mark", Buffer.from("x".repeat(100)), /no index/],
  ["nothing", Buffer.alloc(0), /no index/],
];

test.each(WRONG)("an index is refused with %s", async (_what, bytes, says) => {
  expect((await looked(bytes)).fault).toMatch(says);
});

test.each([4094, 4095, 4096])("a name of %i letters is read whole", async (length) => {
  const names = ["a", "b".repeat(length), "c"];
  expect(await looked(indexOf(names.map((name) => [name])))).toMatchObject({ fault: undefined, paths: names });
});

/** A part that git spares, at whose end it finds where entries are: others than those at the beginning. */
function leadingAway(entries: readonly Buffer[], at: number): Buffer {
  const from = at + 8;
  const starts = entries.map((_, before) => from + Buffer.concat(entries.slice(0, before)).length);
  const table = Buffer.concat([u32(1), ...starts.flatMap((start) => [u32(start), u32(1)])]);
  const head = Buffer.concat([Buffer.from("IEOT"), u32(table.length)]);
  const tableAt = from + Buffer.concat(entries).length;
  const sum = createHash("sha1").update(head).digest();
  const part = Buffer.concat([...entries, head, table, Buffer.from("EOIE"), u32(24), u32(tableAt), sum]);
  return Buffer.concat([Buffer.from("REUC"), u32(part.length), part]);
}

test("entries that a part leads git to are not given to it", async () => {
  const cwd = temporaryFolder();
  git(cwd, "init", "-q");
  const shown = indexOf([["a"], ["b"], ["c"]]).subarray(0, -20);
  const others = [".env", "../x", "z"].map((path) => indexOf([[path]]).subarray(12, -20));
  const whole = Buffer.concat([shown, leadingAway(others, shown.length)]);
  const hostile = Buffer.concat([whole, createHash("sha1").update(whole).digest()]);
  // It is an attack: with threads, git reads those.
  expect(listed(cwd, hostile, "-c", "index.threads=4")).toEqual([".env", "../x", "z"]);
  const { fault, given } = await looked(hostile);
  expect(fault).toBeUndefined();
  expect(listed(cwd, given as Buffer, "-c", "index.threads=4")).toEqual(["a", "b", "c"]);
});

test.each([32, 44])(
  "a last entry that says where entries end, %i bytes before the hash, is refused",
  async (before) => {
    const bytes = indexOf([["a"], ["EOIE".padEnd(60, "x")]]);
    const at = bytes.length - 20 - before;
    bytes.write("EOIE", at, "latin1");
    const { fault } = await looked(bytes);
    expect(fault).toBe("its last entry says where the entries end");
    bytes.write("EOIF", at, "latin1");
    expect((await looked(bytes)).fault).toBeUndefined();
  },
);

test("a link is taken where git makes none", async () => {
  const bytes = indexOf([["a", 0o120000]]);
  expect((await looked(bytes)).fault).toBeUndefined();
  expect((await looked(bytes, { links: false })).fault).toMatch(/names a, which is a link/);
});

test("an index that is cut anywhere, or changed in a byte, has a fault or names what git finds in it", async () => {
  const cwd = temporaryFolder();
  git(cwd, "init", "-q");
  writeFiles(cwd, { "a/b": "1", "a/bc": "2", d: "3" });
  git(cwd, "add", "-A");
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("2", "4"),
      fc.nat(),
      fc.nat(255),
      fc.boolean(),
      async (version, at, byte, cuts) => {
        git(cwd, "update-index", "--index-version", version);
        const bytes = readFileSync(join(cwd, ".git", "index"));
        const place = at % bytes.length;
        const changed = cuts ? bytes.subarray(0, place) : Buffer.from(bytes);
        if (!cuts) changed[place] = byte;
        const { fault, paths, given } = await looked(changed);
        if (fault !== undefined) return true;
        // What is given is what was looked at: git may not take what was there.
        return listed(cwd, given as Buffer).join() === paths.join();
      },
    ),
    { numRuns: 150 },
  );
});

const HOOK = onToolCall(
  `const git = (args: string[]) => { try { return execFileSync("git", args, { encoding: "utf8", stdio: "pipe", env: { ...process.env, GIT_INDEX_FILE: process.cwd() + "/own/index" } }); } catch (error: any) { return error.code + " " + error.stderr; } };
   const said = [];
   for (const args of event.input.commands) said.push(git(args));
   return { block: true, reason: said.join("") };`,
  `import { execFileSync } from "node:child_process";`,
);
const env = { GIT_INDEX_FILE: "$CWD/own/index" };
const own = (...args: ExecGrant[number]["args"]): ExecGrant[number] => ({ program: "git", args, env });

// biome-ignore format: a table
const ATTACKS: [claim: string, entries: [string, number?][], commands: string[][], exec: ExecGrant][] = [
  ["differences of files outside", [["../outside/secret"]], [["diff"]], [own("diff")]],
  ["differences of secrets", [[".env"]], [["diff"]], [own("diff")]],
  ["what is added", [[".env"]], [["add", "-u"], ["diff", "--cached"]], [own("add", "-u"), own("diff", "--cached")]],
  ["whether files outside are as they were", [["../outside/secret"]], [["ls-files", "-m"]], [own("ls-files", "-m")]],
  ["files that are written outside", [["../outside/new", 0o100755]], [["checkout", "--", "."]], [own("checkout", "--", ".")]],
  ["programs that git runs", [[".git/hooks/pre-commit", 0o100755]], [["checkout", "--", "."]], [own("checkout", "--", { kind: "relpath" })]],
  ["links that lead out", [["link", 0o120000]], [["checkout", "--", "."]], [own("checkout", "--", ".")]],
  ["hooks of agents", [[".pi/hooks/x.ts"]], [["checkout", "--", "."]], [own("checkout", "--", ".")]],
];

test.each(ATTACKS)("git is not given an index for %s", async (_claim, entries, commands, exec) => {
  const folder = temporaryFolder();
  const cwd = join(folder, "project");
  writeFiles(folder, {
    "outside/secret": "KEY=outside",
    "project/.env": "KEY=inside",
    "project/plain": "/etc/passwd",
    "project/own/kept": "",
  });
  git(cwd, "init", "-q");
  git(cwd, "add", "plain");
  const grant = { capabilities: { events: { see: ["tool_call"], block: true }, exec } };
  const { call } = await startSession({ gate: { source: HOOK, grant } }, { cwd });
  writeFileSync(join(cwd, "own", "index"), indexOf(entries, git(cwd, "rev-parse", ":plain").trim()));
  const verdict = await call({ commands });
  const reason = verdict && "reason" in verdict ? String(verdict.reason) : "";
  expect(reason).toMatch(/cordon: the index cannot be used: it names/);
  expect(reason).not.toContain("KEY");
  const made = ["outside/new", "project/.git/hooks/pre-commit", "project/link", "project/.pi"];
  expect(made.filter((path) => existsSync(join(folder, path)))).toEqual([]);
});

test("what git itself put into such an index it goes on with, links as well", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "a.txt": "a", "own/kept": "", ".gitignore": "own" });
  symlinkSync("a.txt", join(folder, "to-a"));
  git(folder, "init", "-q");
  const grant = {
    capabilities: { events: { see: ["tool_call"], block: true }, exec: [own("add", "-A"), own("ls-files")] },
  };
  const { call } = await startSession({ gate: { source: HOOK, grant } }, { cwd: folder });
  const commands = [["add", "-A"], ["add", "-A"], ["ls-files"]];
  expect(await call({ commands })).toMatchObject({ reason: ".gitignore\na.txt\nto-a\n" });
});
