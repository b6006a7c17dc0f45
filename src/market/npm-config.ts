import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import Config from "@npmcli/config";
import npm from "@npmcli/config/lib/definitions/index.js";
import { CordonError, messageOf } from "../base/errors.ts";
import { realPathOf } from "../disk/paths.ts";
import { workspacesOf } from "../host/find-hooks.ts";
import { findProgram, isInside } from "../runtime/find-program.ts";
import type { NpmOptions } from "./registry.ts";

/** npm's settings that say where packages come from and how they are reached. No other has a say here. */
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

/** Of npm's own defaults just these: to wait a minute for a registry that is not there is one of the others. */
const DEFAULTS: NpmOptions = { registry: npm.definitions.registry?.default, strictSSL: true };

/** A folder that has no files: there is no such setting, then. */
const NOWHERE = "/dev/null/nowhere";

/**
 * The user's and the machine's settings for npm, under the names that npm's own libraries read. Nothing of a project's has a
 * say: neither its `.npmrc`, nor what `npx` makes of that in the environment.
 *
 * @param cwd where the command was typed
 * @param note told of a file that a person named and that is not read
 */
export async function npmOptions(cwd: string, note: (text: string) => void): Promise<NpmOptions> {
  const workspaces = projectsAt(cwd);
  let source = 0;
  const config = new Config({
    ...npm,
    flatten: (settings, options) => {
      // The first are npm's defaults.
      if (source++ > 0) flatten(settings, options);
    },
    // Its own defaults are no part of this.
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
    const git = findProgram("git", workspaces);
    return { ...DEFAULTS, ...Object.fromEntries(options), ...(git === undefined ? { git: false } : { git }) };
  } catch (error) {
    throw new CordonError("LOAD_FAILED", `npm's settings cannot be read: ${messageOf(error)}; see: npm config list`);
  }
}

/** Where a stranger's files may lie. A person's own home is none of these, whatever they do in it. */
const projectsAt = (cwd: string): string[] => workspacesOf(cwd).filter((folder) => !isInside(homedir(), folder));

/** As npm's own, of what is taken: a registry's scope and what stands for just one registry go over as they are. */
function flatten(settings: Record<string, unknown>, options: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(settings)) {
    if (/^@[^/]*:registry$/.test(name) || name.startsWith("//")) options[name] = value;
    else if (TAKEN.has(name)) npm.definitions[name]?.flatten?.(name, settings, options);
  }
}

/** A copy: npm writes into it. What `npx` and `npm run` put there says what a project says. */
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
    else note(`${name} names ${path}, which a project could have written: it is not read`);
  }
  // Where the machine's settings are follows from where Node is, which may be a project's `node_modules`.
  const prefix = own.PREFIX || join(own.DESTDIR ?? "/", dirname(dirname(process.execPath)));
  if (isOfProject(prefix, workspaces) || !isAbsolute(prefix)) {
    delete own.PREFIX;
    delete own.DESTDIR;
    own.NPM_CONFIG_GLOBALCONFIG ??= join(NOWHERE, "global");
  }
  return own;
}

/** It lies in a project, or is a link into one. */
const isOfProject = (path: string, workspaces: readonly string[]): boolean =>
  [resolve(path), realPathOf(path)].some((place) =>
    workspaces.some((folder) => isInside(place, folder) || isInside(place, realPathOf(folder))),
  );
