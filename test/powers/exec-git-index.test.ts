import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ExecEntry, faultOf } from "../../src/powers/exec-grant.ts";
import { startSession, writeFiles } from "../support/session.ts";

/** `GIT_INDEX_FILE`: git keeps what is to be committed in a file that a grant names as one to write. */

const NAMED = "$CWD/own/*/index";
const entry = (index?: string): ExecEntry => ({
  program: "git",
  args: ["add", "-A"],
  fullAccess: true,
  ...(index === undefined ? {} : { env: { GIT_INDEX_FILE: index } }),
});

/** A hook that adds all of a repository into the index at this place, and says what came of it. */
async function added(place: string | undefined, grant: ExecEntry) {
  const set = place === undefined ? "" : `GIT_INDEX_FILE: process.cwd() + ${JSON.stringify(place)}`;
  const session = await startSession({
    gate: {
      source: `import { execFileSync } from "node:child_process";
        export default (pi: any) => pi.on("tool_call", () => {
          try { return { block: true, reason: "done " + execFileSync("git", ["add", "-A"], { encoding: "utf8", env: { ...process.env, ${set} } }) }; }
          catch (error: any) { return { block: true, reason: error.code ?? error.message }; }
        });`,
      grant: { capabilities: { events: { see: ["tool_call"], block: true }, exec: [grant] } },
    },
  });
  const work = join(session.folder, "work");
  writeFiles(work, { "a.txt": "a", "own/one/kept": "", "other/kept": "" });
  symlinkSync(join(work, "other"), join(work, "own", "linked"));
  execFileSync("git", ["init", "-q"], { cwd: work });
  mkdirSync(join(work, ".git", "own"), { recursive: true });
  const said = await session.call({ command: "x" });
  return { work, said: said && "reason" in said ? said.reason : said, git: join(work, ".git", "index") };
}

test("git writes the index at the named place, and leaves the repository's", async () => {
  const { work, said, git } = await added("/own/one/index", entry(NAMED));
  expect(said).toBe("done ");
  expect(
    readFileSync(join(work, "own", "one", "index"))
      .subarray(0, 4)
      .toString(),
  ).toBe("DIRC");
  expect(existsSync(git)).toBe(false);
});

// biome-ignore format: a table
test.each<[claim: string, place: string, grant: ExecEntry]>([
  ["an entry that names none", "/own/one/index", entry()],
  ["another file", "/own/one/other", entry(NAMED)],
  ["another folder, by its parent", "/own/one/../../other/index", entry(NAMED)],
  ["another folder, through a link", "/own/linked/index", entry(NAMED)],
  ["the repository's own, under a wildcard", "/.git/index", entry("$CWD/**")],
  ["a hook of git's, under a wildcard", "/.git/hooks/pre-commit", entry("$CWD/**")],
])("the index is not at %s", async (_claim, place, grant) => {
  const { work, said, git } = await added(place, grant);
  expect(said).toBe("NOT_GRANTED");
  expect([git, join(work, "other", "index")].map((path) => existsSync(path))).toEqual([false, false]);
});

test("a grant does not set the place itself", async () => {
  const { said, git } = await added(undefined, entry(NAMED));
  expect([said, existsSync(git)]).toEqual(["done ", true]);
});

test("a grant names the place as a file to write", () => {
  expect(faultOf(entry(NAMED))).toBeUndefined();
  for (const wrong of [{ kind: "text" } as const, "own/index", "$CWD/../index"])
    expect(faultOf({ ...entry(), env: { GIT_INDEX_FILE: wrong } })).toContain("GIT_INDEX_FILE of git");
});
