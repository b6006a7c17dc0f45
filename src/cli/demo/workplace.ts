import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A made-up credential, for the thief to want and the redactor to find. */
export const SECRET = ["sk", "demo", "0123456789abcdef"].join("-");

export interface Workplace {
  /** A git repository with a few files. */
  repository: string;
  home: string;
  remove(): void;
}

/** A temporary repository with something to lose in it. */
export function makeWorkplace(): Workplace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-demo-")));
  const repository = join(folder, "repository");
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: repository, stdio: "ignore" });
  execFileSync("git", ["init", "--quiet", repository], { stdio: "ignore" });
  git("config", "user.name", "Demo");
  git("config", "user.email", "demo@example.invalid");
  writeFileSync(join(repository, "notes.md"), "# Notes\n\nfirst version\n");
  writeFileSync(join(repository, "settings.ini"), `api_key = ${SECRET}\ncolour = blue\n`);
  writeFileSync(join(repository, ".env"), `DEMO_API_KEY=${SECRET}\n`);
  writeFileSync(join(repository, ".gitignore"), "build\n");
  mkdirSync(join(repository, "build"));
  writeFileSync(join(repository, "build", "out.txt"), "built\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "start");
  return { repository, home: join(folder, "home"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
