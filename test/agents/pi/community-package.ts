import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import type { Example } from "./examples.ts";

const run = promisify(execFile);

/** A package that somebody published for pi, and how a person uses it. */
export interface CommunityPackage extends Omit<Example, "deps"> {
  /** Its name on npm. */
  name: string;
  version: string;
  /** Of its tarball, as the registry has it. */
  integrity: string;
  /** Its extension, relative to the package. */
  entry: string;
  /** What it makes up anew in each run. */
  varies?: readonly RegExp[];
  /** What a person adds to the grant that `cordon trace` proposes: at most one dialog. {@link Example.powers} is not used. */
  more?: object;
}

/** Its dependencies are those of this day. */
const BEFORE = "2026-11-20";

/**
 * Fetches a package with its dependencies from the registry that npm is set to, once for this machine, and runs none of
 * their scripts. Returns its folder. Rejects if its tarball is another one than that of the row.
 */
export async function installPackage({ name, version, integrity }: CommunityPackage): Promise<string> {
  const place = join(tmpdir(), "cordon-test-pi", "packages", `${name.replace("/", "+")}-${version}`);
  if (existsSync(place)) return place;
  mkdirSync(dirname(place), { recursive: true });
  const fresh = mkdtempSync(`${place}-`);
  const npm = (args: string[]) => run("npm", args, { cwd: fresh, timeout: 300_000 });
  const { stdout } = await npm(["pack", "--json", `${name}@${version}`]);
  const [packed] = JSON.parse(stdout);
  if (packed.integrity !== integrity) throw new Error(`${name}@${version} has the integrity ${packed.integrity}`);
  await extract({ file: join(fresh, packed.filename), cwd: fresh, strip: 1 });
  rmSync(join(fresh, packed.filename));
  const own = readFileSync(join(fresh, "package.json"), "utf8");
  // What it is developed with need not be published, and what it shares with the agent (`peerDependencies`) is the agent's.
  writeFileSync(join(fresh, "package.json"), JSON.stringify({ ...JSON.parse(own), devDependencies: {}, scripts: {} }));
  const quiet = ["--no-package-lock", "--no-audit", "--no-fund"];
  await npm(["install", "--ignore-scripts", "--omit=peer", "--legacy-peer-deps", ...quiet, "--before", BEFORE]);
  writeFileSync(join(fresh, "package.json"), own);
  try {
    renameSync(fresh, place);
  } catch {
    // Another suite was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
  return place;
}
