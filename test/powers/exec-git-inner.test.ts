import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGit } from "../../src/powers/exec-git.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** A project with another repository in it, whose filter leaves the file `mark`: git runs it when it looks at changes in there. */
function project(folder: string) {
  const work = join(folder, "work");
  const mark = join(folder, "mark");
  const git = (...args: string[]): string => gitIn(work, ...args);
  const gitIn = (cwd: string, ...args: string[]): string =>
    execFileSync(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", ...args],
      {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
  const inner = join(work, "inner");
  writeFiles(work, { "a.txt": "one\n", "inner/i.txt": "i\n", "inner/.gitattributes": "i.txt filter=f\n" });
  for (const cwd of [work, inner]) gitIn(cwd, "init", "-q");
  gitIn(inner, "add", ".");
  gitIn(inner, "commit", "-qm", "first");
  git("add", "a.txt");
  git("commit", "-qm", "without the inner one");
  git("branch", "plain");
  git("add", ".");
  git("commit", "-qm", "with it");
  // Names it, so that git looks into it whatever is configured.
  git("checkout", "-q", "-b", "naming");
  writeFileSync(join(work, ".gitmodules"), '[submodule "x"]\n\tpath = inner\n\turl = ./x\n\tignore = none\n');
  writeFileSync(join(work, "a.txt"), "naming\n");
  git("add", ".gitmodules", "a.txt");
  git("commit", "-qam", "naming");
  git("checkout", "-q", "main");
  const arm = (): void => {
    writeFiles(work, { "inner/i.txt": "j\n" });
    gitIn(inner, "config", "filter.f.clean", `: > '${mark}'; cat`);
  };
  return { work, mark, git, arm };
}

/** What a hook's commands answer, and whether the filter ran. `lay`: what else lies in the project. */
async function ran(
  commands: string[][],
  lay: (world: ReturnType<typeof project>) => void,
  together = false,
  variable?: string,
) {
  const session = await startSession(
    {
      runs: {
        source: onToolCall(
          `const all = ${JSON.stringify(commands)};
        const said = [];
        const env = { ...process.env, ${variable === undefined ? "" : `${variable}: "1"`} };
        const run = (args) => new Promise((done) => execFile("git", args, { cwd: ctx.cwd, env }, (error, _out, stderr) => {
          said.push((error ? error.code : 0) + " " + stderr);
          done();
        }));
        ${together ? "await Promise.all(all.map(run));" : "for (const args of all) await run(args);"}
        return { block: true, reason: JSON.stringify(said) };`,
          `import { execFile } from "node:child_process";`,
        ),
        grant: {
          capabilities: {
            events: { see: ["tool_call"], block: true },
            exec: commands.map((args) => ({ program: "git", args, perMinute: 5000 })),
          },
          limits: { cpuMs: 60_000 },
        },
      },
    },
    { hookTimeout: 60_000 },
  );
  const world = project(session.folder);
  lay(world);
  world.arm();
  const verdict = await session.call();
  const said = JSON.parse(String(verdict && "reason" in verdict && verdict.reason)) as string[];
  return { said, hasRun: existsSync(world.mark), world };
}

const HOLDS = expect.stringContaining("128 cordon: the project holds other repositories");
const DONE = expect.stringMatching(/^0 /);
const changed = ({ work }: { work: string }): void => writeFileSync(join(work, "a.txt"), "mine\n");
const afterNaming = ({ git }: { git: (...args: string[]) => string }): void => {
  for (const branch of ["naming", "plain"]) git("checkout", "-q", branch);
};
type Git = (...args: string[]) => string;

/** A stash that names the inner repository, of a branch that does not. */
function stashNaming(git: Git): string {
  const made = (...parents: string[]): string =>
    git("commit-tree", "naming^{tree}", ...parents.flatMap((parent) => ["-p", parent]), "-m", "x").trim();
  return made("plain", made("plain"));
}

/** Where nothing names the inner repository; a stash has a change of the person's. */
function ownStash({ work, git }: { work: string; git: Git }): void {
  git("checkout", "-q", "plain");
  writeFileSync(join(work, "a.txt"), "mine\n");
  git("stash", "store", git("stash", "create").trim());
  git("checkout", "-q", "a.txt");
}

/** The same, and the last stash names it. */
function stashes(world: { work: string; git: Git }): void {
  ownStash(world);
  world.git("stash", "store", stashNaming(world.git));
}
const onPlain = ({ git }: { git: (...args: string[]) => string }): void => void git("checkout", "-q", "plain");

type Entering = [command: string[], said: unknown, lay?: (world: ReturnType<typeof project>) => void];
test.each(
  sampled<Entering>(
    [
      [["checkout", "naming"], DONE],
      [["checkout", "main"], DONE, onPlain],
      [["checkout", "naming"], DONE, onPlain],
      [["checkout", "-"], DONE, afterNaming],
      [["checkout", "-m", "naming"], HOLDS, changed],
      [["checkout", "--merge", "naming"], HOLDS, changed],
      [["checkout", "--conf=diff3", "naming"], HOLDS, changed],
      [["checkout", "-qm", "naming"], HOLDS, changed],
      [["describe", "--always", "--dirty"], HOLDS],
      [["describe", "--always", "--broken"], HOLDS],
      [["describe", "--always"], DONE],
      [["stash", "push"], HOLDS, changed],
      [["stash", "pop"], HOLDS, stashes],
      [["stash", "apply", "--index"], HOLDS, stashes],
      [["stash", "apply", "0"], HOLDS, stashes],
      [["stash", "branch", "twig"], HOLDS, stashes],
      [["stash", "branch", "twig", "stash@{0}"], HOLDS, stashes],
      [["stash", "pop", "1"], DONE, stashes],
      [["stash", "show"], DONE, stashes],
      [["add", "-A"], HOLDS],
      [["commit", "-qam", "x"], HOLDS, changed],
    ],
    2,
  ),
)("git %j enters no repository inside", async (command, said, lay = () => {}) => {
  const told = await ran([command], lay);
  expect([told.said, told.hasRun]).toEqual([[said], false]);
});

test.each(
  ["GLOB", "LITERAL", "NOGLOB"].flatMap((how) => [
    [`GIT_${how}_PATHSPECS`, ["add", "-A"]] as const,
    [`GIT_${how}_PATHSPECS`, ["stash", "push"]] as const,
  ]),
)("%s changes nothing of what is asked before git %j", async (name, command) => {
  const told = await ran([[...command]], changed, false, name);
  expect([told.said, told.hasRun]).toEqual([[HOLDS], false]);
});

const REAL = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const BOUNDS = { timeoutMs: 10_000, maxOutputBytes: 100_000, signal: new AbortController().signal };
const NO_NETWORK = { network: false, literally: false, writes: false, mayWrite: () => false, full: false, hook: {} };

test.each(
  sampled(
    [
      [["status"]],
      [["status", "--porcelain", "--ignored"]],
      [["diff", "--patch-with-stat", "HEAD"]],
      [["diff", "-p", "--patience"]],
      [["describe", "--always", "--dirty"]],
      [["describe", "--always", "--broken"]],
      [["rev-parse", "--show-superproject-working-tree"]],
      [["log", "--format=%G? %s", "-p"]],
      [["commit", "-am", "x", "--trailer", "Foo:bar"]],
      [["checkout", "-b", "new"]],
      [["blame", "-s", "a.txt"]],
    ],
    2,
  ),
)("git %j answers under Cordon as it does by itself, and through a script", async (args) => {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: temporaryFolder(),
    ...{ GIT_AUTHOR_DATE: "@1 +0000", GIT_COMMITTER_DATE: "@1 +0000" },
  };
  const answers = ["by itself", "Cordon", "a script"].map(async (way) => {
    const folder = temporaryFolder();
    const work = join(folder, "work");
    const git = (...more: string[]) => execFileSync(REAL, more, { cwd: work, env, stdio: "pipe" });
    writeFiles(work, { "a.txt": "one\n" });
    git("init", "-q", "-b", "main");
    for (const name of ["name", "email"]) git("config", `user.${name}`, "a@example.com");
    git("add", ".");
    git("commit", "-qm", "first");
    writeFileSync(join(work, "a.txt"), "two\n");
    if (way === "by itself") {
      const { status, stdout } = spawnSync(REAL, args, { cwd: work, env, encoding: "utf8" });
      return [status, stdout];
    }
    const script = join(folder, "git");
    writeFileSync(script, `#!/usr/bin/env sh\nexec ${REAL} "$@"\n`, { mode: 0o755 });
    const options = { cwd: work, env, ...BOUNDS };
    const { code, stdout } = await runGit(way === "a script" ? script : REAL, args, options, [work], NO_NETWORK);
    return [code, stdout];
  });
  const [itself, ...others] = await Promise.all(answers);
  expect(others).toEqual([itself, itself]);
});

/** A `git` that does something else right before it runs this command, as another process could. */
function overtaken(folder: string, command: string, before: string): string {
  const path = join(folder, "git");
  const act = before.replaceAll("git ", `${REAL} `);
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = ${command} ]; then ${act}; fi\nexec ${REAL} "$@"\n`, { mode: 0o755 });
  return path;
}

const NAMES_IT = `printf '[submodule "x"]\\n path = inner\\n url = ./x\\n ignore = none\\n' > .gitmodules`;

type Overtaken = [args: string[], before: string, lay?: (world: ReturnType<typeof project>) => void];
test.each(
  sampled<Overtaken>(
    [
      [["status"], "git symbolic-ref HEAD refs/heads/naming"],
      [
        ["checkout", "twig"],
        "git branch -f twig naming",
        ({ git }) => void [git("checkout", "-q", "plain"), git("branch", "twig")],
      ],
      ...[
        ["status", "--porcelain", "--ignored"],
        ["diff", "-p"],
        ["diff-index", "--patch", "HEAD"],
        ["diff-files", "-p"],
      ].map((args): [string[], string] => [args, NAMES_IT]),
      [["add", "."], "git update-index --add --cacheinfo 160000,$INNER,inner", onPlain],
      [["describe", "--always", "--dirty"], "git update-index --add --cacheinfo 160000,$INNER,inner", onPlain],
      [["stash", "pop"], "git stash store $STASH", ownStash],
      [["stash", "apply"], "git stash store $STASH", ownStash],
    ],
    2,
  ),
)("git %j starts no other where one inside comes after the look: %s", async (args, before, lay) => {
  const folder = temporaryFolder();
  const world = project(folder);
  lay?.(world);
  const inner = execFileSync("git", ["rev-parse", "HEAD"], { cwd: join(world.work, "inner"), encoding: "utf8" }).trim();
  world.arm();
  const stash = stashNaming(world.git);
  const path = overtaken(folder, args[0] ?? "", before.replace("$INNER", inner).replace("$STASH", stash));
  const options = { cwd: world.work, env: { PATH: process.env.PATH ?? "", HOME: folder }, ...BOUNDS };
  await runGit(path, args, options, [world.work], NO_NETWORK);
  expect(existsSync(world.mark)).toBe(false);
});

test("the filter runs where nothing guards", () => {
  const folder = temporaryFolder();
  const world = project(folder);
  world.arm();
  world.git("checkout", "naming");
  expect(existsSync(world.mark)).toBe(true);
  rmSync(world.mark);
  world.git("describe", "--always", "--dirty");
  expect(existsSync(world.mark)).toBe(true);
});

test("a checkout as usual, without a repository inside, lists the local changes", async () => {
  const told = await ran([["checkout", "twig"]], ({ work, git }) => {
    onPlain({ git });
    git("branch", "twig");
    rmSync(join(work, "inner"), { recursive: true });
    writeFiles(work, { "inner/i.txt": "no repository" });
    execFileSync("git", ["init", "-q", "inner"], { cwd: work });
  });
  expect(told.said).toEqual([expect.stringContaining("Switched to branch 'twig'")]);
});

test("a time that is no whole number is one", async () => {
  const session = await startSession({
    runs: {
      source: onToolCall(
        `const { code } = await pi.exec("git", ["status"], { timeout: 9999.5 }); return { block: true, reason: String(code) };`,
      ),
      grant: {
        capabilities: { events: { see: ["tool_call"], block: true }, exec: [{ program: "git", args: ["status"] }] },
      },
    },
  });
  project(session.folder);
  expect(await session.call()).toMatchObject({ reason: "0" });
});

test("a status beside many checkouts enters none", async () => {
  const commands = Array.from({ length: 24 }, (_, at) =>
    at % 2 ? ["status"] : ["checkout", "-q", at % 4 ? "main" : "naming"],
  );
  const told = await ran(commands, () => {}, true);
  expect([told.said.every((one) => one.startsWith("0 ")), told.hasRun]).toEqual([true, false]);
});
