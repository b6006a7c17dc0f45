import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { CordonError } from "../base/errors.ts";
import { defaultHome } from "../disk/home.ts";
import { findPrograms } from "./find-program.ts";

/** What runs a sandbox: a Node and the isolated-vm addon built for it. */
export interface Runtime {
  /** Absolute path. */
  node: string;
  /** Absolute path of the `.node` file. */
  addon: string;
  /** Major version: 26, or 24 with the protections it lacks. */
  major: number;
  /** It has `node:ffi`, which a sandbox uses to confine itself on Linux. */
  ffi: boolean;
  /** Where it was found, for people. */
  origin: string;
}

/** Majors with a prebuilt addon, best first. 24's permission model does not cover the network. */
const MAJORS = [26, 24];
const ABI: Record<number, string> = { 26: "147", 24: "137" };
const run = promisify(execFile);

/** Folder and Node's file in it, inside a runtime folder as `cordon runtime install` lays it out. */
export const runtimeNode = (folder: string): string =>
  join(folder, "node", "bin", process.platform === "win32" ? "node.exe" : "node");
export const runtimeAddon = (folder: string): string => join(folder, "isolated-vm");

/**
 * Finds the runtime in this order: `CORDON_RUNTIME`, `<home>/runtime`, this process's own Node, the Nodes on PATH outside the
 * workspaces. Rejects with `NO_RUNTIME` and the remedy.
 */
export async function locateRuntime(options: {
  home: string;
  workspaces: readonly string[];
  env?: NodeJS.ProcessEnv;
}): Promise<Runtime> {
  const env = options.env ?? process.env;
  const named = env.CORDON_RUNTIME;
  if (named) {
    if (!isAbsolute(named))
      throw new CordonError("NO_RUNTIME", `CORDON_RUNTIME must be an absolute folder, not ${named}`);
    return fromFolder(named, "CORDON_RUNTIME");
  }
  // A session with a separate home (a test, the demo) uses the runtime that is installed for the user.
  for (const home of new Set([options.home, defaultHome()])) {
    const installed = join(home, "runtime");
    if (existsSync(runtimeNode(installed))) return fromFolder(installed, installed);
  }
  const addonFolder = packageAddon();
  const found: string[] = [];
  let second: Runtime | undefined;
  for (const node of addonFolder ? candidates(options.workspaces, env) : []) {
    const version = await versionOf(node);
    if (!version || !addonFolder) continue;
    found.push(`${node} (${version.major})`);
    const addon = MAJORS.includes(version.major) ? addonFor(addonFolder, version.major) : undefined;
    if (!addon) continue;
    // Node 26 is preferred wherever it is found: keep looking while only Node 24 was found.
    if (version.major === MAJORS[0]) return { node, addon, ...version, origin: node };
    second = { node, addon, ...version, origin: node };
  }
  if (second) return second;
  const here = `${process.platform}-${process.arch}`;
  if (addonFolder && !existsSync(join(addonFolder, "prebuilds", here)))
    throw new CordonError("NO_RUNTIME", `no sandbox runtime: isolated-vm has no prebuild for ${here}`);
  const why = addonFolder
    ? `no Node 26 or 24 found${found.length > 0 ? ` (only ${found.join(", ")})` : ""}`
    : "isolated-vm is not installed beside cordon";
  throw new CordonError("NO_RUNTIME", `no sandbox runtime: ${why}; run: cordon runtime install`);
}

/** The runtime in a folder. Rejects with `NO_RUNTIME` if there is none. */
export async function fromFolder(folder: string, origin: string): Promise<Runtime> {
  const node = runtimeNode(folder);
  const version = existsSync(node) ? await versionOf(node) : undefined;
  if (!version)
    throw new CordonError("NO_RUNTIME", `${origin} has no working Node at ${node}; run: cordon runtime install`);
  const addon = addonFor(runtimeAddon(folder), version.major);
  if (!addon)
    throw new CordonError(
      "NO_RUNTIME",
      `${origin} has no isolated-vm for Node ${version.major}; run: cordon runtime install`,
    );
  return { node, addon, ...version, origin };
}

/** This process's own Node, wherever it is, then those on PATH. */
function candidates(workspaces: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const own = process.versions.electron || process.versions.bun ? undefined : process.execPath;
  const listed = [own, ...findPrograms("node", workspaces, env.PATH ?? "")];
  return [...new Set(listed.filter((file) => file !== undefined))];
}

function packageAddon(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json"));
  } catch {
    return undefined;
  }
}

/** The prebuilt file for this platform in an isolated-vm folder. */
export function addonFor(folder: string, major: number): string | undefined {
  const prebuilds = join(folder, "prebuilds", `${process.platform}-${process.arch}`);
  if (!existsSync(prebuilds)) return undefined;
  const abi = `abi${ABI[major]}.`;
  const wanted = readdirSync(prebuilds).filter((file) => file.includes(abi));
  const file = wanted.find((name) => process.platform !== "linux" || name.includes(isMusl() ? "musl" : "glibc"));
  return file && join(realpathSync(prebuilds), file);
}

const isMusl = (): boolean => existsSync("/etc/alpine-release");

async function versionOf(node: string): Promise<Pick<Runtime, "major" | "ffi"> | undefined> {
  const version = node === process.execPath ? process.versions.node : await askedVersion(node);
  const [major, minor] = (version ?? "").split(".").map(Number);
  if (!major || minor === undefined) return undefined;
  return { major, ffi: major > 26 || (major === 26 && minor >= 1) };
}

async function askedVersion(node: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(node, ["--version"], { env: Object.create(null), cwd: dirname(node), timeout: 5000 });
    return /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
