const OUTSIDE = "it reaches outside the sandbox";
const THREADS = "a hook is one isolate, whose time and memory are measured; there are no others beside it";
const CODE = "it runs code that a hook's digest could not cover";
const PROCESS = "it controls the process, which other hooks may share";

/** Why no hook can have a built-in module, where that is not plain. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["worker_threads", THREADS],
  ["cluster", THREADS],
  ["vm", CODE],
  ["repl", CODE],
  ["wasi", "it runs WebAssembly, which V8 does not have without its JIT"],
  ["inspector", PROCESS],
  ["inspector/promises", PROCESS],
  ["v8", PROCESS],
  ["trace_events", PROCESS],
]);

const NATIVE = "it is native code; node:sqlite has the same databases, by the power sqlite";

const FINDS_NATIVE =
  "it looks for native code, which no hook can run: take a build in JavaScript or WebAssembly, or another package";

/** Packages that are native code, where hooks have something else for it, and those by which packages find theirs. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["better-sqlite3", NATIVE],
  ["sqlite3", NATIVE],
  ["bindings", FINDS_NATIVE],
  ["node-gyp-build", FINDS_NATIVE],
  ["node-gyp-build-optional-packages", FINDS_NATIVE],
  ["@mapbox/node-pre-gyp", FINDS_NATIVE],
]);

/** A package that is known to be native code, or to look for it. */
export const isNativePackage = (specifier: string): boolean => PACKAGES.has(specifier);

/** A built-in that extensions import at their beginning for a part that few people use: they load, and it throws when it is used. */
export const isSeldomUsed = ({ kind, path }: { kind: string; path: string }): boolean =>
  kind === "import-statement" && /^(node:)?worker_threads$/.test(path);

/** The error for a built-in or a package that no hook can have. */
export function refusedModule(specifier: string): string {
  const reason = PACKAGES.get(specifier) ?? REASONS.get(specifier.replace(/^node:/, "")) ?? OUTSIDE;
  return `import "${specifier}" cannot be offered to a hook: ${reason}`;
}

/** Whether an error is one of {@link refusedModule}. */
export const isRefusedModule = (text: string): boolean => /^import "[^"]+" cannot be offered to a hook: /.test(text);

/** The code of that error. */
export const REFUSED = "IMPORT_REFUSED";
