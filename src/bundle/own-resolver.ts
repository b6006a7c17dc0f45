import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import resolver from "enhanced-resolve";
import picomatch from "picomatch";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { foldersUp } from "../disk/paths.ts";
import { isInside } from "../runtime/find-program.ts";
import type { VisibleFiles } from "./visible-files.ts";

/** The file that a specifier resolves to, or why it does not resolve. */
export type Resolution = { path: string; sideEffects: boolean } | { leaks: true } | { missing: true };

const OWN = [".tsx", ".ts", ".jsx", ".js", ".json"];
/** What others wrote was compiled: its sources may lie beside it. */
const OF_PACKAGES = [".jsx", ".js", ".json", ".tsx", ".ts"];

type Kind = "import" | "require";

/**
 * Resolves imports with visible files only. esbuild's own resolver would read each `package.json` up to the root of the disk,
 * and one of those could remove or replace a rule.
 */
export class OwnResolver {
  readonly #root: string;
  readonly #files: VisibleFiles;
  readonly #resolvers = new Map<string, ReturnType<typeof resolver.ResolverFactory.createResolver>>();

  constructor(root: string, files: VisibleFiles) {
    this.#root = root;
    this.#files = files;
  }

  resolve(specifier: string, from: string, kind: Kind): Resolution {
    const isPath = isAbsolute(specifier) || /^\.{1,2}([\\/?#]|$)/.test(specifier);
    if (isPath && !isInside(resolve(from, specifier), this.#root)) return { leaks: true };
    this.#files.takeLeaks();
    // A file may be called what would be a query behind the name of another.
    const path =
      (isPath ? this.#files.follow(resolve(from, specifier)) : undefined) ?? this.#find(specifier, from, kind);
    if (this.#files.takeLeaks()) return { leaks: true };
    if (path !== undefined) return { path, sideEffects: this.#hasSideEffects(path) };
    return this.#liesAbove(specifier, from) ? { leaks: true } : { missing: true };
  }

  /** For the error message: a file that the folder lacks may exist in a folder above. */
  #liesAbove(specifier: string, from: string): boolean {
    if (specifier.startsWith("#")) return this.packageOf(join(from, "x")) === undefined;
    const [, name] = /^((?:@[^/]+\/)?[\w-][^/]*)/.exec(specifier) ?? [];
    const isIn = (folder: string): boolean => existsSync(join(folder, "node_modules", name ?? ""));
    return name !== undefined && foldersUp(dirname(this.#root)).some(isIn);
  }

  /** The `package.json` that applies to a file, if it is an object. */
  packageOf(path: string): { folder: string; json: Record<string, unknown> } | undefined {
    for (let folder = dirname(path); isInside(folder, this.#root); folder = dirname(folder)) {
      let text: string;
      try {
        text = this.#files.read(join(folder, "package.json")).toString("utf8");
      } catch {
        continue;
      }
      const json = parsed(text);
      return json && { folder, json };
    }
    return undefined;
  }

  #find(specifier: string, from: string, kind: Kind): string | undefined {
    const ofPackage = from.split(sep).includes("node_modules") || !/^[./\\#]/.test(specifier);
    let found: string | undefined;
    this.#resolverFor(kind, ofPackage).resolve({}, from, specifier, {}, (_error, _path, request) => {
      found = typeof request?.path === "string" ? request.path : undefined;
    });
    return found;
  }

  #resolverFor(kind: Kind, ofPackage: boolean) {
    const key = `${kind} ${ofPackage}`;
    const made =
      this.#resolvers.get(key) ??
      resolver.ResolverFactory.createResolver({
        // It takes what it uses of Node's, whatever its types say.
        fileSystem: this.#files.fileSystem as never,
        useSyncFileSystemCalls: true,
        conditionNames: ["module", "node", kind],
        mainFields: ["module", "main"],
        extensions: ofPackage ? OF_PACKAGES : OWN,
        extensionAlias: {
          ".js": [".js", ".ts", ".tsx"],
          ".jsx": [".jsx", ".ts", ".tsx"],
          ".mjs": [".mjs", ".mts"],
          ".cjs": [".cjs", ".cts"],
        },
      });
    this.#resolvers.set(key, made);
    return made;
  }

  /** As bundlers read it: `false`, or the files that do something by being imported. */
  #hasSideEffects(path: string): boolean {
    const found = this.packageOf(path);
    const said = found?.json.sideEffects;
    if (said === false) return false;
    if (!found || !Array.isArray(said)) return true;
    const own = relative(found.folder, path).split(sep).join("/");
    const globs = said.filter((glob) => typeof glob === "string").map((glob) => glob.replace(/^\.?\//, ""));
    return globs.some((glob) => picomatch(glob.includes("/") ? glob : `**/${glob}`, { dot: true })(own));
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = readJson(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
