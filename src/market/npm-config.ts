import { dirname, isAbsolute, join, resolve } from "node:path";
import Config from "@npmcli/config";
import npm from "@npmcli/config/lib/definitions/index.js";
import { CordonError, messageOf } from "../base/errors.ts";
import { realPathOf } from "../disk/paths.ts";
import { userFolder } from "../disk/user-folder.ts";
import { workspacesOf } from "../host/find-hooks.ts";
import { findProgram, isInside } from "../runtime/find-program.ts";
import { overrun } from "./document-size.ts";
import type { NpmOptions } from "./registry.ts";

/** The settings of npm that say where packages come from and how they are fetched. All others are ignored. */
const TAKEN = new Set([
  "registry",
  "before",
  "min-release-age",
  "min-release-age-exclude",
  "ca",
  "cafile",
  "cert",
  "key",
  "strict-ssl",
  "proxy",
  "https-proxy",
  "noproxy",
  "local-address",
  "maxsockets",
  "fetch-timeout",
  "fetch-retries",
  "fetch-retry-factor",
  "fetch-retry-mintimeout",
  "fetch-retry-maxtimeout",
]);

/** Only these of npm's own defaults: another is to wait a minute for a registry that does not answer. */
const DEFAULTS: NpmOptions = { registry: npm.definitions.registry?.default, strictSSL: true };

/** A folder without files: a setting that is read from there is not set. */
const NOWHERE = "/dev/null/nowhere";

/**
 * Reads the user's and the machine's settings for npm, under the names that npm's own libraries read. A project's settings
 * are ignored: its `.npmrc`, and what `npx` puts into the environment from it.
 *
 * @param cwd where the command was typed
 * @param note reports a file that a person named and that is not read
 */
export async function npmOptions(cwd: string, note: (text: string) => void): Promise<NpmOptions> {
  const workspaces = projectsAt(cwd);
  let source = 0;
  const config = new Config({
    ...npm,
    flatten: (settings, options) => {
      // The first source has npm's defaults.
      if (source++ > 0) flatten(settings, options);
    },
    // The defaults in npm's own folder are not read.
    npmPath: NOWHERE,
    env: ownEnvironment(process.env, workspaces, note),
    argv: [process.execPath, "npm", "--global"],
    cwd: "/",
    warn: false,
  });
  try {
    await config.load();
    const { nodeBin: _node, npmBin: _npm, ...flat } = config.flat;
    const options = Object.entries(flat).filter(([, value]) => value !== null && value !== "");
    const git = findProgram("git", workspaces, process.env.PATH ?? "");
    const own = { ...(git === undefined ? { git: false } : { git }), signal: overrun };
    return { ...DEFAULTS, ...Object.fromEntries(options), ...own };
  } catch (error) {
    throw new CordonError("LOAD_FAILED", `npm's settings cannot be read: ${messageOf(error)}; see: npm config list`);
  }
}

/** The end of a sentence about a failed fetch: that a variable names another registry, and counts for nothing. */
export function ignoredRegistry({ registry }: NpmOptions): string {
  const [name, named] = Object.entries(process.env).find(([one]) => /^npm_config_registry$/i.test(one)) ?? [];
  if (!named || named.replace(/\/$/, "") === String(registry).replace(/\/$/, "")) return "";
  return `; ${name} is ignored, since a project can set it: name your registry in ~/.npmrc`;
}

/** Folders that may hold a stranger's files. The user's own home is not one, whatever they do in it. */
const projectsAt = (cwd: string): string[] => workspacesOf(cwd).filter((folder) => !isInside(userFolder(), folder));

/** Like npm's own function, for the settings in `TAKEN`. The registry of a scope and settings for one registry are copied. */
function flatten(settings: Record<string, unknown>, options: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(settings)) {
    if (/^@[^/]*:registry$/.test(name) || name.startsWith("//")) options[name] = value;
    else if (TAKEN.has(name)) npm.definitions[name]?.flatten?.(name, settings, options);
  }
}

/** A copy of the environment: npm writes into it. It lacks what `npx` and `npm run` set, which a project decides. */
function ownEnvironment(
  env: NodeJS.ProcessEnv,
  workspaces: readonly string[],
  note: (text: string) => void,
): Record<string, string> {
  const own = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !/^npm_config_/i.test(name)) own[name] = value;
  for (const name of ["NPM_CONFIG_USERCONFIG", "NPM_CONFIG_GLOBALCONFIG"]) {
    const path = env[name];
    if (!path || !Object.keys(env).includes(name)) continue;
    if (isAbsolute(path) && !isOfProject(path, workspaces)) own[name] = path;
    else note(`${name} names ${path}, which a project may have written: it is not read`);
  }
  // npm finds the machine's settings beside Node, which may lie in a project's `node_modules`.
  const prefix = own.PREFIX || join(own.DESTDIR ?? "/", dirname(dirname(process.execPath)));
  if (isOfProject(prefix, workspaces) || !isAbsolute(prefix)) {
    delete own.PREFIX;
    delete own.DESTDIR;
    own.NPM_CONFIG_GLOBALCONFIG ??= join(NOWHERE, "global");
  }
  return own;
}

/** The path lies in a project, or is a link into one. */
const isOfProject = (path: string, workspaces: readonly string[]): boolean =>
  [resolve(path), realPathOf(path)].some((one) =>
    workspaces.some((folder) => isInside(one, folder) || isInside(one, realPathOf(folder))),
  );
