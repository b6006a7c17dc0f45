import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import { PACKAGE_ROOT } from "../../../src/base/package-root.ts";

const run = promisify(execFile);

/** npm comes with the Node that started it, not with the one that the tests run on. */
const npm = (args: string[], cwd: string) => run("npm", args, { cwd, timeout: 300_000 });

/** The versions of pi that the adapter is tested with, and what each needs beside its own files. */
const PIS = {
  // Not all of its dependencies are published. Its bundled program needs these alone.
  "1.5.2": { bundled: ["jiti@2.7.0", "typebox@1.3.27"], program: "dist/bundle/cli.js" },
  "0.87.1": { bundled: undefined, program: "dist/cli.js" },
} as const;

export type PiVersion = keyof typeof PIS;
export const PI_VERSIONS = Object.keys(PIS) as PiVersion[];

const PI = "@earendil-works/pi-coding-agent";

const placeOf = (version: PiVersion): string => join(tmpdir(), "cordon-test-pi", version);

/** Where pi's program is once it was fetched. */
export const piProgram = (version: PiVersion): string =>
  join(placeOf(version), "node_modules", PI, PIS[version].program);

/**
 * Fetches pi from the registry that npm is set to, once for this machine. Runs none of its scripts. Returns its package's
 * folder and its program.
 */
export async function installPi(version: PiVersion): Promise<{ folder: string; program: string }> {
  const { bundled, program } = PIS[version];
  const own = join(PACKAGE_ROOT, "node_modules", PI);
  if (isOf(own, version)) return { folder: own, program: join(own, program) };
  const place = placeOf(version);
  const folder = join(place, "node_modules", PI);
  if (!existsSync(join(folder, program))) {
    mkdirSync(dirname(place), { recursive: true });
    const fresh = mkdtempSync(`${place}-`);
    writeFileSync(join(fresh, "package.json"), '{"private":true}');
    const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
    await npm(["install", ...options, ...(bundled ?? [`${PI}@${version}`])], fresh);
    if (bundled) {
      const own = join(fresh, "node_modules", PI);
      mkdirSync(own, { recursive: true });
      const { stdout } = await npm(["pack", "--json", `${PI}@${version}`], fresh);
      await extract({ file: join(fresh, JSON.parse(stdout)[0].filename), cwd: own, strip: 1 });
    }
    try {
      renameSync(fresh, place);
    } catch {
      // Another suite was faster.
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return { folder, program: join(folder, program) };
}

/** Whether the repository's own packages have pi in this version. */
const isOf = (folder: string, version: PiVersion): boolean =>
  existsSync(folder) && JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version === version;

/** Why pi cannot be run apart from the network here; `undefined` if it can. */
export function lacksNamespace(): string | undefined {
  try {
    execFileSync("unshare", ["-rn", "sh", "-c", "ip link set lo up"], { stdio: "pipe", timeout: 10_000 });
    return undefined;
  } catch {
    return "no network namespace can be made here: pi might reach the network";
  }
}
