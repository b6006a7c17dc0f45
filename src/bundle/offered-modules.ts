import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { built } from "../base/package-root.ts";

const require = createRequire(import.meta.url);

/** Folder of a package this one depends on. */
function folderOf(name: string): string {
  for (let folder = dirname(require.resolve(name)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && folder.endsWith(name.split("/").at(-1) as string)) return folder;
  }
}

/** Built-in modules that compute and touch nothing, as unenv writes them. */
const PURE = [
  "path",
  "path/posix",
  "path/win32",
  "url",

  "events",
  "assert",
  "assert/strict",
  "querystring",

  "punycode",
];

/** Built-in modules that Cordon writes itself: over the host's powers, or with less than the real ones say. */
const OWN = new Set([
  "buffer",
  "child_process",
  "crypto",
  "fs",
  "fs/promises",
  "http",
  "https",
  "os",
  "process",
  "readline",
  "readline/promises",
  "stream",
  "stream/promises",
  "timers",
  "timers/promises",
  "util",
  "util/types",
]);

/** The file of one of them. */
export const ownModule = (name: string): string | undefined =>
  OWN.has(name) ? guest(name.replace(/[/_]/, "-")) : undefined;

const guest = (name: string): string => built("modules", `${name}.js`);

/** Packages of the agents, by every name they had. */
const AGENT_MODULES: Record<string, () => string> = {
  "pi-coding-agent": () => guest("pi-hooks"),
  "pi-coding-agent/hooks": () => guest("pi-hooks"),
  "pi-ai": () => guest("pi-ai"),
  "pi-tui": () => guest("pi-tui"),
};
const AGENT_SCOPES = ["@mariozechner/", "@earendil-works/"];

/** A module of pi's own packages. Extensions import more of them than hooks can use. */
export const isAgentModule = (specifier: string): boolean =>
  AGENT_SCOPES.some(
    (scope) => specifier.startsWith(scope) && Object.hasOwn(AGENT_MODULES, specifier.slice(scope.length)),
  );

/** Modules of the other dialects' agents. */
const DIALECT_MODULES: readonly [specifiers: RegExp, module: string][] = [
  [/^cordon\/interceptors$/, "interceptors"],
  [/^@strands-agents\/sdk$/, "strands"],
  [/^openclaw(\/plugin-sdk(\/[a-z-]+)?)?$/, "openclaw"],
];

/** Where a hook that was written inside its agent's own sources finds the interceptors. */
const INTERCEPTORS_BESIDE = /^(\.\.\/)+interceptors\/(index|global|registry|trigger|types)(\.[jt]s)?$/;

/** The file of Cordon's for a relative import that leads to nothing of the hook's own. */
export const offeredBeside = (specifier: string): string | undefined =>
  INTERCEPTORS_BESIDE.test(specifier) ? guest("interceptors") : undefined;

/** The file that an import of a hook's resolves to when it is one that Cordon offers, whatever the hook's folder holds. */
export function offeredModule(specifier: string): string | undefined {
  const scope = AGENT_SCOPES.find((prefix) => specifier.startsWith(prefix));
  const agent =
    scope && Object.hasOwn(AGENT_MODULES, specifier.slice(scope.length))
      ? AGENT_MODULES[specifier.slice(scope.length)]
      : undefined;
  if (agent) return agent();
  if (specifier === "@sinclair/typebox" || specifier === "typebox")
    return require.resolve(specifier === "typebox" ? "typebox" : "@sinclair/typebox");
  if (specifier === "cordon/hooks") return guest("pi-hooks");
  const dialect = DIALECT_MODULES.find(([specifiers]) => specifiers.test(specifier));
  if (dialect) return guest(dialect[1]);
  const name = specifier.replace(/^node:/, "");
  if (name === "string_decoder") return require.resolve("string_decoder/");
  if (OWN.has(name)) return ownModule(name);
  return PURE.includes(name) ? unenv(name) : undefined;
}

/** Modules that stand in for globals of Node's, built in where a hook names one. */
export const globalModules = (): string[] => [guest("globals")];

/** Any built-in, for the modules of unenv itself: what they import of each other touches nothing either. */
export function unenv(builtin: string): string | undefined {
  const file = join(folderOf("unenv"), "dist", "runtime", "node", `${builtin}.mjs`);
  return existsSync(file) ? file : undefined;
}

/** Folders whose files are Cordon's own, not the hook's. */
export function offeredFolders(): string[] {
  return [
    built("modules"),
    folderOf("unenv"),
    folderOf("pathe"),
    folderOf("typebox"),
    folderOf("@sinclair/typebox"),
    folderOf("string_decoder/"),
    folderOf("safe-buffer/"),
  ];
}
