import { execFileSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../support/session.ts";

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** A real git repository with one commit, whose configuration does not depend on the user's. */
export function makeRepository(folder: string): void {
  git(folder, "init", "-q", "-b", "main");
  appendFileSync(
    join(folder, ".git", "config"),
    "[user]\nname = Test\nemail = test@example.invalid\n[commit]\ngpgsign = false\n[core]\nautocrlf = false\n",
  );
  writeFiles(folder, { "kept.txt": "first\n", "src/code.txt": "one\n" });
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "first");
}

export interface RepositoryState {
  status: string;
  commits: string[];
  stashes: string;
  files: Record<string, string>;
}

/** The state that a command could have changed, without parts that differ between two runs (ids, times). */
export function stateOf(folder: string): RepositoryState {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^\.git(\/|$)/.test(path) && statSync(join(folder, path)).isFile())
    .sort();
  return {
    status: git(folder, "status", "--porcelain"),
    commits: git(folder, "log", "--format=%s").trim().split("\n"),
    stashes: git(folder, "stash", "list"),
    files: Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "utf8")])),
  };
}
