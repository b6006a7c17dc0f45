import { isBuiltin } from "node:module";
import type { OwnResolver } from "./own-resolver.ts";

const MADE = /\b([\w$]+)\s*=\s*(?:[\w$]+\.)*createRequire[\w$]*\(/g;
/** What bundlers make of `require` goes by any name: only for a module of Node's a text says enough. */
const CALLED = /(?<![\w$.])[\w$]+\(\s*"((?:node:)?[a-z_]+(?:\/[a-z_]+)*)"\s*\)/g;
const CALLED_AT_ONCE = /\bcreateRequire[\w$]*\([^()]*\)(?:\.resolve)?\(\s*"((?:[^"\\\n]|\\.)+)"\s*\)/g;

/** esbuild's own `__require`, which calls the loader's `require` if there is one. */
const SHIM = /\btypeof require\b.*\bDynamic require of /s;
/** A file of CommonJS has a `require` anyway. */
const HAS_IMPORTS = /(?:^|[;}])\s*(?:import|export)\b(?!\s*\()/m;

/** Gives a module the `require` that it looks for, as the loaders of pi and OpenClaw do. Its lines stay where they were. */
export const withRequire = (code: string): string =>
  code.includes("createRequire") || !SHIM.test(code) || !HAS_IMPORTS.test(code)
    ? code
    : code.replace(
        /^(#!.*\n)?/,
        '$1import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ',
      );

/**
 * What a file requires with functions that `createRequire` made for it, as far as it says so in plain text.
 *
 * @param code as esbuild prints it: with double quotes, and without comments
 */
export function createdRequires(code: string): string[] {
  if (!code.includes("createRequire")) return [];
  const names = new Set([...code.matchAll(MADE)].map(([, name]) => name as string));
  const calls = [...names].flatMap((name) => {
    const call = `(?<![\\w$]|(?<!\\.\\.)\\.)${name.replaceAll("$", "\\$")}(?:\\.resolve)?\\(\\s*"((?:[^"\\\\\\n]|\\\\.)+)"\\s*\\)`;
    return [...code.matchAll(new RegExp(call, "g"))];
  });
  const builtins = [...code.matchAll(CALLED)].filter(([, text]) => isBuiltin(text as string));
  const named = [...calls, ...code.matchAll(CALLED_AT_ONCE), ...builtins];
  const specifiers = named.map(([, text]) => JSON.parse(`"${text}"`) as string);
  return [...new Set(specifiers)];
}

/**
 * The module that tells `node:module` what the file at `path` may require.
 *
 * @param table the file of Cordon's that keeps it
 * @param isLoadable whether a build takes such a file. Of others a hook learns the place alone
 */
export function requireTable(
  table: string,
  path: string,
  folder: string,
  specifiers: readonly string[],
  resolver: OwnResolver,
  isLoadable: (path: string) => boolean,
): string {
  const entries = specifiers.map((specifier) => {
    const found = resolver.resolve(specifier, folder, "require");
    const name = JSON.stringify(specifier);
    const path = "path" in found ? found.path : undefined;
    const load = path === undefined || isLoadable(path) ? `() => require(${name})` : "undefined";
    return `${name}: { load: ${load}, path: ${JSON.stringify(path)} }`;
  });
  return `import { provide } from ${JSON.stringify(table)};\nprovide(${JSON.stringify(path)}, { __proto__: null, ${entries.join(", ")} });`;
}
