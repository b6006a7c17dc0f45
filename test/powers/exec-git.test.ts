import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { namesNoReference } from "../../src/powers/exec-git.ts";
import { LONG, sampled } from "../support/length.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** A repository that runs a program of its own for a plain command: `MARK` stands for a command that creates a file. */
interface Trap {
  name: string;
  config?: Record<string, string>;
  attributes?: string;
  /** Hooks of the repository. */
  hooks?: readonly string[];
  args: readonly string[];
  /** The command's exit code when no program of the repository runs; 0 if left out. */
  code?: number;
}

const hooks = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "prepare-commit-msg",
  "post-checkout",
  "reference-transaction",
  "post-index-change",
];

const TRAPS: readonly Trap[] = [
  { name: "core.fsmonitor", config: { "core.fsmonitor": "MARK" }, args: ["status"] },
  { name: "core.hooksPath", config: { "core.hooksPath": "HOOKS" }, hooks, args: ["commit", "-am", "x"] },
  { name: "hooks of the repository at a commit", hooks, args: ["commit", "-am", "x"] },
  { name: "hooks of the repository at a checkout", hooks, args: ["checkout", "-b", "other"] },
  { name: "hooks of the repository at a stash", hooks, args: ["stash", "create"] },
  {
    name: "a clean filter",
    config: { "filter.f.clean": "MARK; cat" },
    attributes: "* filter=f",
    args: ["add", "a.txt"],
  },
  {
    name: "a clean filter at a status",
    config: { "filter.f.clean": "MARK; cat" },
    attributes: "* filter=f",
    args: ["diff"],
  },
  {
    name: "a clean filter at a stash",
    config: { "filter.f.clean": "MARK; cat" },
    attributes: "* filter=f",
    args: ["stash", "create"],
  },
  {
    name: "a smudge filter",
    config: { "filter.f.smudge": "MARK; cat" },
    attributes: "* filter=f",
    args: ["checkout", "a.txt"],
  },
  {
    name: "a filter process",
    config: { "filter.f.process": "MARK" },
    attributes: "* filter=f",
    args: ["add", "a.txt"],
  },
  {
    name: "a required filter",
    config: { "filter.f.clean": "MARK; cat", "filter.f.required": "true" },
    attributes: "* filter=f",
    args: ["add", "a.txt"],
  },
  {
    name: "a filter with dots in its name",
    config: { "filter.a.b.c.clean": "MARK; cat" },
    attributes: "* filter=a.b.c",
    args: ["add", "a.txt"],
  },
  {
    name: "a filter with capitals in its name",
    config: { "filter.AbC.clean": "MARK; cat" },
    attributes: "* filter=AbC",
    args: ["add", "a.txt"],
  },
  { name: "diff.external", config: { "diff.external": "MARK; true" }, args: ["diff"] },
  { name: "a diff driver", config: { "diff.d.command": "MARK; true" }, attributes: "* diff=d", args: ["diff"] },
  { name: "a textconv", config: { "diff.d.textconv": "MARK; cat" }, attributes: "* diff=d", args: ["diff"] },
  {
    name: "a textconv in a log",
    config: { "diff.d.textconv": "MARK; cat" },
    attributes: "* diff=d",
    args: ["log", "-p"],
  },
  { name: "a textconv in a show", config: { "diff.d.textconv": "MARK; cat" }, attributes: "* diff=d", args: ["show"] },
  {
    name: "a textconv in a blame",
    config: { "diff.d.textconv": "MARK; cat" },
    attributes: "* diff=d",
    args: ["blame", "a.txt"],
  },
  { name: "an editor", config: { "core.editor": "MARK; true" }, args: ["commit", "-a"], code: 1 },
  { name: "signing", config: { "commit.gpgSign": "true", "gpg.program": "PROGRAM" }, args: ["commit", "-am", "x"] },
  {
    name: "a display of signatures",
    config: { "log.showSignature": "true", "gpg.program": "PROGRAM" },
    args: ["log", "signed"],
  },
  {
    name: "a trailer",
    config: { "trailer.t.command": "MARK", "trailer.t.ifexists": "add" },
    args: ["commit", "-am", "x", "--trailer", "t=v"],
  },
  {
    name: "an included file",
    config: { "include.path": "INCLUDED" },
    attributes: "* filter=f",
    args: ["add", "a.txt"],
  },
];

const git = (cwd: string, ...args: string[]): void => void execFileSync("git", args, { cwd, stdio: "pipe" });

/** A repository with two commits, a change and a stash, and nothing unusual. */
function repository(folder: string): void {
  git(folder, "init", "-q");
  git(folder, "config", "user.name", "a person");
  git(folder, "config", "user.email", "person@example.org");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  git(folder, "stash", "-q");
  writeFileSync(join(folder, "a.txt"), "one\nthree\n");
}

function lay(folder: string, { config = {}, attributes, hooks = [] }: Trap): string {
  const mark = join(folder, "..", "mark");
  const program = join(folder, "..", "program");
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`);
  chmodSync(program, 0o755);
  repository(folder);
  const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: folder, encoding: "utf8" }).trim();
  const signed = `tree ${tree}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
  const id = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: folder,
    input: signed,
    encoding: "utf8",
  }).trim();
  git(folder, "branch", "signed", id);
  const hookFolder = config["core.hooksPath"] ? join(folder, "..", "hooks") : join(folder, ".git", "hooks");
  mkdirSync(hookFolder, { recursive: true });
  for (const hook of hooks) {
    writeFileSync(join(hookFolder, hook), `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(join(hookFolder, hook), 0o755);
  }
  if (attributes) writeFileSync(join(folder, ".gitattributes"), `${attributes}\n`);
  writeFileSync(join(folder, "..", "included"), `[filter "f"]\n\tclean = "touch '${mark}'; cat"\n`);
  for (const [key, value] of Object.entries(config)) {
    const meant = value
      .replace("MARK", `touch '${mark}'`)
      .replace("HOOKS", hookFolder)
      .replace("PROGRAM", program)
      .replace("INCLUDED", join(folder, "..", "included"));
    git(folder, "config", key, meant);
  }
  return mark;
}

const RUNS = onToolCall("return { block: true, reason: JSON.stringify(await ctx.exec('git', event.input.args)) };");

async function inCordon(folder: string, args: readonly string[]) {
  const entry = { program: "git", args: [...args], fullAccess: true };
  const grant = { capabilities: { events: { see: ["*"], block: true }, exec: [entry] } };
  const { call } = await startSession({ runs: { source: RUNS, grant } }, { cwd: folder });
  const verdict = (await call({ args: [...args] })) as { reason: string };
  return JSON.parse(verdict.reason) as { stdout: string; stderr: string; code: number };
}

test.each(sampled(TRAPS))("git runs no program of a repository: $name", async (trap) => {
  const unguarded = join(temporaryFolder(), "work");
  mkdirSync(unguarded);
  const mark = lay(unguarded, trap);
  spawnSync("git", [...trap.args], { cwd: unguarded, stdio: "ignore", timeout: 20_000 });
  expect(existsSync(mark), "the trap works where nothing guards").toBe(true);

  const guarded = join(temporaryFolder(), "work");
  mkdirSync(guarded);
  const there = lay(guarded, trap);
  const { code, stderr } = await inCordon(guarded, trap.args);
  expect(existsSync(there), stderr).toBe(false);
  expect(code, stderr).toBe(trap.code ?? 0);
});

const PLAIN: { args: readonly string[]; gives: RegExp }[] = [
  { args: ["status", "--short"], gives: /^ M a\.txt\n$/ },
  { args: ["diff"], gives: /^\+three$/m },
  { args: ["diff", "--stat"], gives: /a\.txt \| 1 \+/ },
  { args: ["log", "--oneline"], gives: /first\n$/ },
  { args: ["log", "-p", "-1"], gives: /^\+one$/m },
  { args: ["show", "--stat"], gives: /1 file changed/ },
  { args: ["blame", "-s", "a.txt"], gives: /three$/m },
  { args: ["stash", "create"], gives: /^[0-9a-f]{40}\n$/ },
  { args: ["stash", "list"], gives: /^stash@\{0\}/ },
  { args: ["stash", "show"], gives: /1 file changed/ },
  { args: ["stash", "show", "-p"], gives: /^\+two$/m },
  { args: ["grep", "three"], gives: /^a\.txt:three$/m },
  { args: ["branch", "other"], gives: /^$/ },
];

test.each(sampled(PLAIN))("in a plain repository it works as usual: git $args", async ({ args, gives }) => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  const copy = join(folder, "..", "copy");
  cpSync(folder, copy, { recursive: true });
  const own = spawnSync("git", [...args], { cwd: copy, encoding: "utf8" });
  const result = await inCordon(folder, args);
  expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(gives) });
  if (args[1] !== "create") expect(result.stdout).toBe(own.stdout);
});

test("a commit carries the person's own name", async () => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  expect(await inCordon(folder, ["commit", "-am", "x"])).toMatchObject({ code: 0 });
  const author = execFileSync("git", ["log", "-1", "--format=%an <%ae>"], { cwd: folder, encoding: "utf8" });
  expect(author).toBe("a person <person@example.org>\n");
});

test.each([
  ["an absolute one", (outside: string) => outside],
  ["a relative one", () => "../../outside"],
  [
    "a link",
    (outside: string, folder: string) => {
      symlinkSync(outside, join(folder, "link"));
      return "../link";
    },
  ],
])("a work tree outside the project is refused: %s", async (_name, worktree) => {
  const folder = join(temporaryFolder(), "work");
  const outside = join(folder, "..", "outside");
  writeFiles(outside, { "a.txt": "not the project's\n" });
  mkdirSync(folder);
  repository(folder);
  git(folder, "config", "core.worktree", worktree(outside, folder));
  const { code, stdout, stderr } = await inCordon(folder, ["diff"]);
  expect([code, stdout]).toEqual([128, ""]);
  expect(stderr).toContain("core.worktree leads outside the project");
});

test("a work tree inside the project is accepted", async () => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  git(folder, "config", "core.worktree", "..");
  expect(await inCordon(folder, ["status", "--short"])).toMatchObject({ code: 0, stdout: " M a.txt\n" });
});

test("a repository with more names than can be overridden is refused", async () => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  // The machine's own settings may name credential helpers, which count as well.
  const ownNames = () =>
    new Set(
      execFileSync("git", ["config", "--list", "--name-only"], { cwd: folder, encoding: "utf8" })
        .split("\n")
        .filter((key) => /^credential\..*\./.test(key))
        .map((key) => key.slice(0, key.lastIndexOf("."))),
    ).size;
  const sections = (count: number) =>
    Array.from({ length: count }, (_, at) => `[filter "f${at}"]\n\tclean = cat\n`).join("");
  writeFileSync(join(folder, "..", "many"), sections(500 - ownNames()));
  git(folder, "config", "include.path", join(folder, "..", "many"));
  expect(await inCordon(folder, ["status", "--short"])).toMatchObject({ code: 0, stderr: "" });
  writeFileSync(join(folder, "..", "many"), sections(501 - ownNames()));
  const { code, stderr } = await inCordon(folder, ["status", "--short"]);
  expect([code, stderr]).toEqual([128, expect.stringContaining("too large to be made harmless")]);
  rmSync(join(folder, "..", "many"));
});

test.each([
  ["config", "refs/heads/x"],
  ["hooks/pre-commit", "refs/heads/x"],
  ["-m", "why", "info/attributes", "refs/heads/x"],
  ["-d", "config"],
  ["-m", "-m", "info/attributes", "refs/heads/x"],
  ["refs/../config", "refs/heads/x"],
  ["refs/heads/../../../a.txt", "refs/heads/x"],
  ["HEAD", "refs/../config"],
])("a reference takes no other file's place: git symbolic-ref %s", async (...args) => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  const before = readFileSync(join(folder, ".git", "config"), "utf8");
  expect(await inCordon(folder, ["symbolic-ref", ...args])).toMatchObject({
    code: 128,
    stderr: expect.stringMatching(/^cordon: /),
  });
  expect(readFileSync(join(folder, ".git", "config"), "utf8")).toBe(before);
  expect(existsSync(join(folder, ".git", "hooks", "pre-commit"))).toBe(false);
});

test("references are written as usual", async () => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  for (const usual of [
    ["-m", "why", "HEAD", "refs/heads/x"],
    ["--short", "HEAD"],
    ["refs/x", "refs/heads/x"],
  ])
    expect(await inCordon(folder, ["symbolic-ref", ...usual])).toMatchObject({ code: 0 });
});

test.each([
  ["../secret", ""],
  ["~/secret", ""],
  ["link", ""],
  [".env", ""],
  ["ignored", "cannot find revision|invalid object name"],
])("blame reads no file outside for the names of commits: %s", async (file, says) => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  writeFiles(folder, { "../secret": "a-token\n", ".env": "a-token\n", ignored: "no-commit\n" });
  vi.stubEnv("HOME", join(folder, ".."));
  onTestFinished(() => void vi.unstubAllEnvs());
  symlinkSync("../secret", join(folder, "link"));
  git(folder, "config", "blame.ignoreRevsFile", file);
  const { code, stdout, stderr } = await inCordon(folder, ["blame", "-s", "a.txt"]);
  expect(stderr).not.toContain("a-token");
  expect([code, stderr]).toEqual(says === "" ? [0, ""] : [128, expect.stringMatching(says)]);
  if (says === "") expect(stdout).toContain("one");
});

test("a commit takes no template of the repository's for its message", async () => {
  const folder = join(temporaryFolder(), "work");
  mkdirSync(folder);
  repository(folder);
  writeFiles(folder, { "../secret": "a-token\n" });
  for (const [name, value] of [
    ["commit.template", "../secret"],
    ["commit.cleanup", "verbatim"],
  ])
    git(folder, "config", name as string, value as string);
  expect((await inCordon(folder, ["commit", "-a", "--no-edit"])).code).not.toBe(0);
  expect((await inCordon(folder, ["commit", "-a", "-m", "mine"])).code).toBe(0);
  expect((await inCordon(folder, ["log", "--format=%B"])).stdout).not.toContain("a-token");
});

test.each([
  [["$CWD/**"], 128],
  [[], 0],
] as const)(
  "where a configuration includes files, git runs for a hook that may write %j with code %i",
  async (write, code) => {
    const folder = join(temporaryFolder(), "work");
    mkdirSync(folder);
    repository(folder);
    git(folder, "config", "include.path", "../tools.inc");
    const exec = [{ program: "git", args: ["diff"] }];
    const fs = write.length > 0 ? { fs: { write: [...write] } } : {};
    const grant = { capabilities: { events: { see: ["*"], block: true }, exec, ...fs } };
    const { call } = await startSession({ runs: { source: RUNS, grant } }, { cwd: folder });
    const verdict = (await call({ args: ["diff"] })) as { reason: string };
    expect(JSON.parse(verdict.reason)).toMatchObject({ code });
  },
);

test.each(["status", "log", "blame"])(
  "git %s says no where another command could bring in more of its configuration",
  async (command) => {
    const folder = join(temporaryFolder(), "work");
    mkdirSync(folder);
    repository(folder);
    const args = command === "blame" ? [command, "a.txt"] : [command];
    git(folder, "config", "includeIf.gitdir:elsewhere.path", "more");
    expect(await inCordon(folder, args)).toMatchObject({ code: 0 });
    git(folder, "config", "includeIf.onbranch:evil.path", "evil");
    expect(await inCordon(folder, args)).toMatchObject({ code: 128, stderr: expect.stringContaining("at a branch") });
  },
);

test("no name is taken for a reference that git itself does not take for one", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "..",
      ".",
      "",
      "heads",
      "x.lock",
      "a.",
      ".a",
      "@{",
      "@",
      "a..b",
      "x.lock.",
      "-",
      "é",
      " ",
      "*",
      "\\",
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const name = `refs/${parts.join("/")}`;
      // A program gets no such argument.
      fc.pre(!name.includes("\0"));
      return namesNoReference(["symbolic-ref", name]) || spawnSync("git", ["check-ref-format", name]).status === 0;
    }),
    // Each is a process.
    { numRuns: LONG ? 300 : 60 },
  );
  for (const name of ["refs/heads/x", "refs/x", "refs/heads/feature/ä.b", "refs/remotes/origin/HEAD"])
    expect(namesNoReference(["symbolic-ref", name]), name).toBe(false);
});
