import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import type { CommunityPackage } from "./community-package.ts";

const run = promisify(execFile);
type InRepository = Extract<CommunityPackage, { commit: string }>;

/** Neither GitHub nor a mirror has the commit, or neither can be reached. */
export class SourceMissing extends Error {}

/** Pictures and films: no code, large, and left out of some mirrors. */
const MEDIA = ["gif", "jpeg", "jpg", "mov", "mp4", "png", "webm"];

/** Writes the files of a row's folder, at its commit, into `into`. Rejects with {@link SourceMissing}. */
export async function filesOfCommit({ repository, commit, folder = "." }: InRepository, into: string): Promise<void> {
  const passing = mkdtempSync(join(tmpdir(), "cordon-git-"));
  try {
    const source = (await inMirror(repository, commit)) ?? (await fetched(repository, commit, passing));
    const archive = join(passing, "files.tar");
    const media = MEDIA.map((ending) => `:(exclude,glob)**/*.${ending}`);
    await run("git", ["-C", source, "archive", "--output", archive, commit, folder, ...media]);
    const depth = folder === "." ? 0 : folder.split("/").length;
    await extract({ file: archive, cwd: into, strip: depth });
  } finally {
    rmSync(passing, { recursive: true, force: true });
  }
}

/** The git directory `OWNER+NAME/repo` in the folder that `CORDON_TEST_MIRRORS` names, if it has the commit. */
async function inMirror(repository: string, commit: string): Promise<string | undefined> {
  const mirrors = process.env.CORDON_TEST_MIRRORS;
  if (!mirrors) return undefined;
  const place = join(mirrors, repository.replace(/^github:/, "").replace("/", "+"), "repo");
  if (!existsSync(place)) return undefined;
  try {
    await run("git", ["-C", place, "cat-file", "-e", `${commit}^{commit}`]);
    return place;
  } catch {
    return undefined;
  }
}

async function fetched(repository: string, commit: string, into: string): Promise<string> {
  const url = repository.replace(/^github:/, "https://github.com/");
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  await run("git", ["init", "-q", "--bare", into]);
  try {
    await run("git", ["-C", into, "fetch", "-q", "--depth", "1", url, commit], { env, timeout: 120_000 });
    return into;
  } catch (error) {
    const [why] = String((error as { stderr?: string }).stderr ?? error).split("\n");
    throw new SourceMissing(`${url} at ${commit.slice(0, 7)} cannot be had here: ${why}`);
  }
}
