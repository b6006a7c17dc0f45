/** `node:module` for hooks: `createRequire` for what the build found, and the names of Node's modules. */
import { fault, unavailable, wrongType } from "./fault.ts";
import { host } from "./host.ts";
import { requiredBy, requiredByAny } from "./module-requires.ts";

export const builtinModules: readonly string[] = Object.freeze(
  (
    "assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram " +
    "diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises " +
    "module net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl " +
    "stream stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty " +
    "url util util/types v8 vm wasi worker_threads zlib"
  ).split(" "),
);

/** Those that have no name without `node:`. */
const PREFIXED = new Set(["ffi", "sea", "sqlite", "test", "test/reporters"]);

export function isBuiltin(name: unknown): boolean {
  const text = String(name);
  const plain = text.replace(/^node:/, "");
  return builtinModules.includes(plain) || (plain !== text && PREFIXED.has(plain));
}

type Require = ((specifier: unknown) => unknown) & { resolve: (specifier: unknown) => string; cache: object };

/**
 * A `require` for the file that calls it.
 *
 * @param from URL or path of that file: `import.meta.url`, `__filename`
 */
export function createRequire(from: unknown): Require {
  const file = pathOf(from);
  const find = (specifier: unknown) => {
    if (typeof specifier !== "string") throw wrongType("id", "of type string");
    if (specifier === "")
      throw fault(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'id' must be a non-empty string. Received ''");
    const found = requiredBy(file, specifier) ?? (isBuiltin(specifier) ? requiredByAny(specifier) : undefined);
    if (found) return found;
    const hint = 'a bundle has what a file names in plain text: createRequire(import.meta.url)("./data.json")';
    throw fault(Error, "MODULE_NOT_FOUND", `Cannot find module '${specifier}' for ${file}: ${hint}`);
  };
  const require = (specifier: unknown): unknown => {
    const { load } = find(specifier);
    if (!load)
      throw unavailable(`${String(specifier)} cannot be loaded: it is not TypeScript, JavaScript, JSON or text`);
    return load();
  };
  const resolve = (specifier: unknown): string => {
    if (isBuiltin(specifier)) return String(specifier);
    const { path } = find(specifier);
    if (path === undefined) throw fault(Error, "MODULE_NOT_FOUND", `Cannot find module '${String(specifier)}'`);
    return path;
  };
  return Object.assign(require, { resolve, cache: Object.create(null) as object });
}

function pathOf(from: unknown): string {
  const text = from instanceof URL ? from.href : from;
  const path = typeof text === "string" && text.startsWith("file:") ? ofUrl(new URL(text).pathname) : text;
  if (typeof path === "string" && (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path))) return path;
  throw fault(
    TypeError,
    "ERR_INVALID_ARG_VALUE",
    `The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received ${String(from)}`,
  );
}

function ofUrl(pathname: string): string {
  const path = decodeURIComponent(pathname);
  return host.machine.platform === "win32" ? path.slice(1).replaceAll("/", "\\") : path;
}

export default { builtinModules, createRequire, isBuiltin };
