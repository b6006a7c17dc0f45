import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { CordonError } from "../base/errors.ts";
import { defaultHome, inHome } from "../disk/home.ts";
import { addonFor, folderBeside, isReleased } from "./addon.ts";
import { isPackage } from "./fetched.ts";
import { findPrograms } from "./find-program.ts";
import { nodeHere } from "./nodes.ts";
import { isOurNode, mayUseOwnSnapshot } from "./own-snapshot.ts";

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
  /** It may use its own start-up snapshot: see {@link mayUseOwnSnapshot}. */
  ownSnapshot: boolean;
  /** Where it was found, for people. */
  origin: string;
}

/** Majors with a prebuilt addon, best first. 24's permission model does not cover the network. */
const MAJORS = [26, 24];

/** Folder and Node's file in it, inside a runtime folder as `cordon runtime install` lays it out. */
export const runtimeNode = (folder: string): string =>
  join(folder, "node", "bin", process.platform === "win32" ? "node.exe" : "node");
export const runtimeAddon = (folder: string): string => join(folder, "isolated-vm");

/**
 * Finds the runtime in this order: `CORDON_RUNTIME`, `<home>/runtime`, and, where the isolated-vm that Cordon was released with
 * lies beside it, this process's own Node and the Nodes on PATH outside the workspaces. Rejects with `NO_RUNTIME` and the remedy.
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
    return inFolder(named, "CORDON_RUNTIME");
  }
  // A session with a separate home (a test, the demo) uses the runtime that is installed for the user.
  for (const home of new Set([options.home, defaultHome()])) {
    const installed = inHome(home, "runtime");
    if (existsSync(runtimeNode(installed))) return inFolder(installed, installed);
  }
  return withAddonBeside(options.workspaces, env);
}

/** For projects that have isolated-vm themselves, as Cordon's own repository. */
async function withAddonBeside(workspaces: readonly string[], env: NodeJS.ProcessEnv): Promise<Runtime> {
  const lacking = (why: string): CordonError =>
    new CordonError("NO_RUNTIME", `no sandbox runtime: ${why}; run: cordon runtime install`);
  const folder = folderBeside();
  if (folder === undefined) throw lacking("Node and isolated-vm for the sandboxes are not installed");
  const here = `${process.platform}-${process.arch}`;
  if (!existsSync(join(folder, "prebuilds", here)))
    throw new CordonError("NO_RUNTIME", `no sandbox runtime: isolated-vm has no prebuild for ${here}`);
  const seen: string[] = [];
  const fitting: Runtime[] = [];
  for (const node of candidates(workspaces, env)) {
    const version = await versionOf(node);
    if (!version) continue;
    seen.push(`${node} (${version.major})`);
    const addon = MAJORS.includes(version.major) ? addonFor(folder, version.major) : undefined;
    if (addon) fitting.push({ node, addon, ...version, origin: node });
    // Node 26 is preferred wherever it is found: keep looking while only Node 24 was found.
    if (addon && version.major === MAJORS[0]) break;
  }
  const best = fitting.find(({ major }) => major === MAJORS[0]) ?? fitting[0];
  if (!best) throw lacking(`no Node 26 or 24 found${seen.length > 0 ? ` (only ${seen.join(", ")})` : ""}`);
  if (!isReleased(best.addon)) throw lacking(`${best.addon} is not the file that Cordon was released with`);
  return best;
}

/** The runtime in a folder. Rejects with `NO_RUNTIME` if there is none. */
const inFolder = (folder: string, origin: string): Promise<Runtime> =>
  withNode(folder, origin, (node) => fetchedVersion(folder, node) ?? versionOf(node));

/** The same, whose Node has just run. */
export const fromFolder = (folder: string, origin: string): Promise<Runtime> => withNode(folder, origin, versionOf);

type Version = Pick<Runtime, "major" | "ffi" | "ownSnapshot">;

async function withNode(
  folder: string,
  origin: string,
  ask: (node: string) => Version | undefined | Promise<Version | undefined>,
): Promise<Runtime> {
  const node = runtimeNode(folder);
  const version = existsSync(node) ? await ask(node) : undefined;
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

/**
 * The version of the Node that `cordon runtime install` fetches, where it lies as that leaves it: each session would start a process
 * to ask it.
 */
function fetchedVersion(folder: string, node: string): Version | undefined {
  const ours = nodeHere();
  const runs = (): boolean => attemptOr(() => accessSync(node, constants.X_OK) === undefined, false);
  if (!ours || !isOurNode(node) || !isPackage(ours, join(folder, "node")) || !runs()) return undefined;
  return partsOf(node, ours.spec.slice(ours.spec.lastIndexOf("@") + 1));
}

async function versionOf(node: string): Promise<Version | undefined> {
  const version = node === process.execPath ? process.versions.node : await askedVersion(node);
  return version === undefined ? undefined : partsOf(node, version);
}

function partsOf(node: string, version: string): Version | undefined {
  const [major, minor] = version.split(".").map(Number);
  if (!major || minor === undefined) return undefined;
  return { major, ffi: major > 26 || (major === 26 && minor >= 1), ownSnapshot: mayUseOwnSnapshot(node, version) };
}

async function askedVersion(node: string): Promise<string | undefined> {
  try {
    const { promisify } = await import("node:util");
    const run = promisify(execFile);
    const { stdout } = await run(node, ["--version"], { env: Object.create(null), cwd: dirname(node), timeout: 5000 });
    return /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
