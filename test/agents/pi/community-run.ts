import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PACKAGE_ROOT } from "../../../src/base/package-root.ts";
import { type Capabilities, withMore } from "../../../src/grants/schema.ts";
import { installPackage } from "./community-install.ts";
import type { CommunityPackage } from "./community-package.ts";
import { type Extension, prepareProject, runExtension, type Seen } from "./differential.ts";

const run = promisify(execFile);
const START = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

/** A person whose pi begins with the mock model: `cordon trace` looks there, too. */
const SETTINGS = { "home/.pi/agent/settings.json": JSON.stringify({ defaultProvider: "mock", defaultModel: "mock" }) };

/** What `cordon trace` proposes for a package, in a project and a home like those that it is then used in. */
export async function proposedFor(one: CommunityPackage, folder: string): Promise<Capabilities> {
  const installed = await installPackage(one);
  const [work, home] = [join(folder, "work"), join(folder, "home")];
  mkdirSync(join(home, ".pi", "agent"), { recursive: true });
  prepareProject({ ...one, files: { ...SETTINGS, ...one.files } }, folder);
  const args = [START, "trace", join(installed, one.entry), "--json", "--cwd", work];
  const env = { PATH: process.env.PATH, HOME: home, ...one.env };
  try {
    const { stdout } = await run(process.execPath, args, { env, timeout: 120_000 });
    return JSON.parse(stdout).capabilities;
  } catch (error) {
    // It does not load.
    if (one.not) return { events: { see: ["tool_call"] } };
    throw error;
  }
}

/** Runs a package in pi: as it is, or within Cordon with what it was granted. */
export async function runPackage(one: CommunityPackage, folder: string, granted?: Capabilities): Promise<Seen> {
  const path = join(await installPackage(one), one.entry);
  const extension: Extension = {
    path,
    version: "0.87.1",
    script: { ...one, files: { ...SETTINGS, ...one.files } },
    ...(one.varies ? { varies: one.varies } : {}),
  };
  if (!granted) return runExtension(extension, folder);
  const whole = Object.entries(one.more ?? {}).reduce((sum, [power, more]) => withMore(sum, power, more), granted);
  return runExtension(
    { ...extension, grant: { capabilities: whole, ...(one.limits ? { limits: one.limits } : {}) } },
    folder,
  );
}
