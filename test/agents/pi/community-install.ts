import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { type CommunityPackage, versionOf } from "./community-package.ts";
import { filesOfCommit } from "./git-source.ts";

const run = promisify(execFile);

/** Its dependencies are those of this day. */
const BEFORE = "2026-11-20";

/**
 * Fetches a package with its dependencies, once for this machine, and runs none of their scripts: from the registry that npm
 * is set to, or from git. Returns its folder. Rejects if its tarball is another one than that of the row, and with
 * {@link SourceMissing} if its repository cannot be had.
 */
export async function installPackage(one: CommunityPackage): Promise<string> {
  const named = `${one.name.replaceAll(/[/ ]/g, "+")}-${versionOf(one)}${"commit" in one ? `-${partOf(one)}` : ""}`;
  const place = join(tmpdir(), "cordon-test-pi", "packages", named);
  if (existsSync(place)) return place;
  mkdirSync(dirname(place), { recursive: true });
  const fresh = mkdtempSync(`${place}-`);
  try {
    if ("commit" in one) await filesOfCommit(one, fresh);
    else await unpack(one, fresh);
    await installDependencies(fresh, "commit" in one ? one.needs : undefined);
    renameSync(fresh, place);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another suite was faster.
    if (!existsSync(place)) throw error;
  }
  return place;
}

/** Tells apart what rows take of one commit. */
const partOf = ({ folder, needs }: { folder?: string; needs?: readonly string[] }): string =>
  createHash("sha256")
    .update(JSON.stringify([folder, needs]))
    .digest("hex")
    .slice(0, 8);

const npm = (args: string[], cwd: string) => run("npm", args, { cwd, timeout: 300_000 });

async function unpack(
  { name, version, integrity }: Extract<CommunityPackage, { version: string }>,
  folder: string,
): Promise<void> {
  const { stdout } = await npm(["pack", "--json", `${name}@${version}`], folder);
  const [packed] = JSON.parse(stdout);
  if (packed.integrity !== integrity) throw new Error(`${name}@${version} has the integrity ${packed.integrity}`);
  await extract({ file: join(folder, packed.filename), cwd: folder, strip: 1 });
  rmSync(join(folder, packed.filename));
}

async function installDependencies(folder: string, needs: readonly string[] | undefined): Promise<void> {
  const file = join(folder, "package.json");
  const own = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const quiet = ["--no-package-lock", "--no-audit", "--no-fund"];
  const install = ["install", "--ignore-scripts", "--omit=peer", "--legacy-peer-deps", ...quiet, "--before", BEFORE];
  if (needs) {
    if (needs.length === 0) return;
    writeFileSync(file, '{"private":true}');
    await npm([...install, "--no-save", ...needs], folder);
  } else {
    const { dependencies, optionalDependencies } = JSON.parse(own ?? "{}");
    if (!dependencies && !optionalDependencies) return;
    // What it is developed with need not be published, and what it shares with the agent (`peerDependencies`) is the agent's.
    writeFileSync(file, JSON.stringify({ ...JSON.parse(own ?? "{}"), devDependencies: {}, scripts: {} }));
    await npm(install, folder);
  }
  if (own === undefined) rmSync(file);
  else writeFileSync(file, own);
}
