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

/** Built-in modules that only compute, from unenv. */
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

/** Built-in modules of Cordon's own, which use the host's powers, or offer less than the real ones. */
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

/** The file of a module of Cordon's own. */
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

/** Relative imports of interceptors, in hooks that were written inside their agent's own sources. */
const INTERCEPTORS_BESIDE = /^(\.\.\/)+interceptors\/(index|global|registry|trigger|types)(\.[jt]s)?$/;

/** Cordon's file for a relative import that no file of the hook's own matches. */
export const offeredBeside = (specifier: string): string | undefined =>
  INTERCEPTORS_BESIDE.test(specifier) ? guest("interceptors") : undefined;

/** The file for an import that Cordon offers, whatever the hook's folder contains. */
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

/** Modules that replace globals of Node, bundled if a hook uses one. */
export const globalModules = (): string[] => [guest("globals")];

/** Any built-in, for imports between unenv's own modules, which only compute, too. */
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
