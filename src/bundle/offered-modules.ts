import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import type { ImportKind } from "esbuild";
import { PURE_MODULES } from "../../sandbox/wire/pure-modules.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { built } from "../base/package-root.ts";

/** A file that hooks get of a package: Cordon has a copy of it. */
const offered = (name: string, ...path: string[]): string => built("offered", name, ...path);

/** The packages of those copies. */
const PACKAGES = ["@sinclair/typebox", "pathe", "typebox", "unenv"];

/** Built-in modules of Cordon's own, which use the host's powers, or offer less than the real ones. */
const OWN = new Set([
  "async_hooks",
  "buffer",
  "child_process",
  "crypto",
  "dns",
  "dns/promises",
  "events",
  "fs",
  "fs/promises",
  "http",
  "https",
  "module",
  "net",
  "os",
  "perf_hooks",
  "process",
  "readline",
  "readline/promises",
  "stream",
  "stream/promises",
  "stream/web",
  "string_decoder",
  "timers",
  "timers/promises",
  "tty",
  "url",
  "util",
  "util/types",
  "zlib",
]);

/** Modules that Node knows by their names with `node:` alone: without it, they are packages. */
const WITH_SCHEME = new Set(["node:sqlite"]);

/** The file of a module of Cordon's own. */
export const ownModule = (name: string): string | undefined =>
  OWN.has(name) ? guest(name.replace(/[/_]/, "-")) : undefined;

/** A file that is evaluated inside the isolate. */
export const guest = (name: string): string => built("modules", `${name}.js`);

/** A module of pi's own packages, or of OpenClaw's. Extensions and plugins import more of them than hooks can use. */
export const isAgentModule = (specifier: string): boolean =>
  PI_MODULES.test(specifier) || OPENCLAW.test(specifier) || otherOfPi(specifier) !== undefined;

/** By every name that they had. */
const PI_MODULES = /^@(mariozechner|earendil-works)\/pi-(coding-agent(\/hooks)?|ai(\/compat)?|tui)$/;

const OPENCLAW = /^openclaw(\/plugin-sdk(\/[a-z-]+)?)?$/;

/** Where a module's exports are: the file beside it, and the name there. */
export type Parts = ReadonlyMap<string, readonly [file: string, name: string]>;

const parts = new Map<string, Parts | undefined>();

/**
 * The parts of a module of Cordon's that is large, and of which a bundle contains those that it imports; undefined for the
 * others.
 */
export function partsOf(file: string): Parts | undefined {
  if (!file.endsWith(".js")) return undefined;
  if (!parts.has(file)) {
    const list = file.replace(/\.js$/, ".parts.json");
    parts.set(file, existsSync(list) ? new Map(Object.entries(readJson(readFileSync(list, "utf8")))) : undefined);
  }
  return parts.get(file);
}

/** Modules of the agents, and Cordon's own for hooks. */
const AGENT_MODULES: readonly [specifiers: RegExp, module: string][] = [
  [/^cordon\/hooks$|^@(mariozechner|earendil-works)\/pi-coding-agent(\/hooks)?$/, "pi-hooks"],
  [/^@(mariozechner|earendil-works)\/pi-ai$/, "pi-ai"],
  [/^@(mariozechner|earendil-works)\/pi-ai\/compat$/, "pi-ai-compat"],
  [/^@(mariozechner|earendil-works)\/pi-tui$/, "pi-tui"],
  [/^cordon\/interceptors$/, "interceptors"],
  [/^@strands-agents\/sdk$/, "strands"],
  [OPENCLAW, "openclaw"],
];

/** Further modules of pi's packages, and which of Cordon's has what hooks get of them. */
const OTHERS_OF_PI: readonly [path: RegExp, module: string][] = [
  [/^pi-agent-core(\/|$)/, "pi-agent-core"],
  [/^pi-ai\/(dist\/)?providers\/all(\.js)?$/, "pi-ai-providers"],
  // Code for one interface of models exports a `stream` that is not the agent's.
  [
    /^pi-ai\/(dist\/)?(?!(api|providers)\/)|^pi-ai\/(dist\/)?(api\/[\w-]+\.lazy|providers\/faux)(\.js)?$/,
    "pi-ai-compat",
  ],
  [/^pi-coding-agent\//, "pi-hooks"],
  [/^pi-tui\//, "pi-tui"],
];

/**
 * Cordon's file for a module of pi's packages of which it has little. A hook's folder that has this package has all of it: its own is
 * taken then.
 */
function otherOfPi(specifier: string): string | undefined {
  const [, path] = /^@(?:mariozechner|earendil-works)\/(pi-(?!.*\.json$).+)$/.exec(specifier) ?? [];
  const [, module] = OTHERS_OF_PI.find(([paths]) => path !== undefined && paths.test(path)) ?? [];
  return module === undefined ? undefined : guest(module);
}

/** Relative imports of interceptors, in hooks that were written inside their agent's own sources. */
const INTERCEPTORS_BESIDE = /^(\.\.\/)+interceptors\/(index|global|registry|trigger|types)(\.[jt]s)?$/;

/** Cordon's file for an import that no file of the hook's own matches. */
export const offeredBeside = (specifier: string): string | undefined =>
  INTERCEPTORS_BESIDE.test(specifier) ? guest("interceptors") : otherOfPi(specifier);

/** The names of the main part of TypeBox, of which the sandbox process has the code. */
export const typeboxNames = (): string => offered("typebox", "names.js");

/** The text of that part itself. */
export const typeboxWhole = (): string => readFileSync(offered("typebox", "index.js"), "utf8");

/** Both of them, and their parts. pi has the newer one under both names. */
const TYPEBOX = /^(@sinclair\/)?typebox(\/[a-z]+)?$/;

/** A part that only the newer one has is offered under the old name, too. */
function typebox(specifier: string): string | undefined {
  if (specifier === "typebox") return typeboxNames();
  const newer = specifier.replace("@sinclair/", "");
  const [, part = "index"] = newer.split("/");
  const names = newer === specifier ? ["typebox"] : ["@sinclair/typebox", "typebox"];
  return names.map((name) => offered(name, `${part}.js`)).find(existsSync);
}

/** The file for an import that Cordon offers, whatever the hook's folder contains. */
export function offeredModule(specifier: string): string | undefined {
  const agent = AGENT_MODULES.find(([specifiers]) => specifiers.test(specifier));
  if (agent) return guest(agent[1]);
  if (TYPEBOX.test(specifier)) return typebox(specifier);
  const name = specifier.replace(/^node:/, "");
  if (WITH_SCHEME.has(specifier)) return guest(name);
  return PURE_MODULES.includes(name) ? unenv(name) : ownModule(name);
}

/** The file of a module for a file of the hook's that calls more of it than most do. */
export const fullerModule = (specifier: string, source: () => string): string | undefined =>
  /^(node:)?path(\/posix)?$/.test(specifier) && /\bmatchesGlob\b/.test(source()) ? guest("path-globs") : undefined;

/** The file that keeps what the files of a bundle may require. */
export const requiresModule = (): string => guest("module-requires");

/** The file that keeps the files which a bundle carries. */
export const carriedModule = (): string => guest("carried-files");

function unenv(name: string): string | undefined {
  const file = offered("unenv", "dist", "runtime", "node", `${name}.mjs`);
  return existsSync(file) ? file : undefined;
}

/** The file for an import between files of Cordon's own that does not name it by its place. */
export function importedModule(specifier: string, kind: ImportKind): string | undefined {
  if (TYPEBOX.test(specifier)) return typebox(specifier);
  if (specifier === "pathe") return offered("pathe", "dist", "index.mjs");
  const [, module] = /^unenv\/node\/(.+)$/.exec(specifier) ?? [];
  if (module !== undefined) return unenv(module);
  if (!isBuiltin(specifier)) return undefined;
  const name = specifier.replace(/^node:/, "");
  if (name === "string_decoder") return ownModule(name);
  // Whole, which is how `require` takes it, unenv's would want a `Blob`.
  return name === "buffer" && kind === "require-call" ? ownModule(name) : unenv(name);
}

/** Folders whose files are Cordon's own, not the hook's. */
export const offeredFolders = (): string[] => [built("modules"), ...PACKAGES.map((name) => offered(name))];
