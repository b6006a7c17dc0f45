import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { PART } from "../../sandbox/wire/part-files.ts";
import { built } from "../base/package-root.ts";
import { inQuotes } from "../base/text.ts";
import { foldersUp, realPathOf } from "../disk/paths.ts";
import { isInside } from "../runtime/find-program.ts";
import { ALL, addName, type Names, specifierOf } from "./asked-names.ts";
import { createdRequires, requireTable, withRequire } from "./created-requires.ts";
import { loaderOf, withoutSourceMap } from "./loaders.ts";
import { exportedAgain, namespaceMembers } from "./namespace-members.ts";
import { addonOf, isNativeAddon, refusedAddon } from "./native-addons.ts";
import { notStarting } from "./not-starting.ts";
import { offeredContents } from "./offered-contents.ts";
import { offeredImport } from "./offered-imports.ts";
import {
  carriedModule,
  fullerModule,
  offeredBeside,
  offeredFolders,
  offeredModule,
  requiresModule,
  typeboxNames,
  typeboxWhole,
} from "./offered-modules.ts";
import { withOwnPath } from "./own-path.ts";
import { OwnResolver } from "./own-resolver.ts";
import { NO_PART } from "./part-imports.ts";
import { isNativePackage, isSeldomUsed, REFUSED, refusedModule } from "./refused-modules.ts";
import { THROWER } from "./source-positions.ts";
import { isTried, unusable } from "./unusable-module.ts";
import type { VisibleFiles } from "./visible-files.ts";
import { isWhole, wholeOf } from "./whole-module.ts";

const refuse = (text: string): OnResolveResult & OnLoadResult => ({ errors: [{ text, detail: REFUSED }] });

/** What a build finds out about the modules of a hook. */
export interface Findings {
  /** Specifiers of modules that Cordon offers, by file, and by `nameIn` for a name that it lacks. */
  readonly offeredAs: Map<string, string>;
  /** Specifiers of built-ins and agents' packages. */
  readonly imports: Set<string>;
  /** Built-ins that no hook can have and that are only imported where code runs: they throw there. */
  readonly lacks: Set<string>;
  /** What the bundle uses of a module of Cordon's, by file, without an import that names it. */
  readonly members: Names;
}

/** The detail of an error: a library lacks a package, which only matters where the library is evaluated. */
export const LACKED = "lacked by a library";

/** The name of a stub for a module that a file imports. esbuild takes it for CommonJS by its ending. */
const stubName = (module: string, file: string): string => `${file}: ${module}.cjs`;

/**
 * Keeps a build inside the hook's own folder. Specifiers are resolved with the files that are visible there. Loaded files are
 * checked again, since glob imports and `require` of an expression reach `onLoad` without `onResolve`. So does an import of a
 * {@link PART}, which `asksForPart` finds in a hook's own files.
 *
 * @param files records every file that affects the bundle
 * @param findings filled by the build
 * @param wanted names that Cordon's modules lack, or have in parts, by the module's file
 * @param hasTypebox the main part of TypeBox is in the bundle itself
 * @param carrying the code that gives the bundle the files it carries
 * @param defersAll also a static import of a refused built-in, or of a package that a library lacks, throws only where its module
 *   is evaluated
 */
export function ownFolder(
  root: string,
  files: VisibleFiles,
  { offeredAs, imports, lacks, members }: Findings,
  wanted: Names,
  { carrying, defersAll, hasTypebox }: { carrying: string; defersAll: boolean; hasTypebox: boolean },
): Plugin {
  const offered = offeredFolders();
  const isOffered = (path: string): boolean => offered.some((folder) => isInside(path, folder));

  const resolver = new OwnResolver(root, files);
  /** A module that throws when it is evaluated, and says which file imports it. */
  const thrower = ({ path, importer }: OnResolveArgs, text: string, code: string): OnResolveResult => {
    const file = relative(root, importer);
    const message = JSON.stringify(`${text}, imported by ${file}`);
    const error = `Object.assign(new Error(${message}), { code: ${JSON.stringify(code)} })`;
    const pluginData: OnLoadResult = { contents: `throw ${error};`, loader: "js" };
    return { path: stubName(path, file), namespace: THROWER, pluginData };
  };
  const sourceOf = (path: string): string => {
    try {
      return files.read(path).toString("utf8");
    } catch {
      // The file that a pattern names is read when it is loaded.
      return "";
    }
  };
  /** Code that takes a module if there is one. */
  const mayFail = ({ kind, path, importer }: OnResolveArgs): boolean =>
    kind === "dynamic-import" || (kind === "require-call" && isTried(path, sourceOf(importer)));
  /** The module of {@link offeredBeside} that files of a folder get, where the hook has none of its own. */
  const besideOf = (specifier: string, folder: string): string | undefined => {
    const beside = offeredBeside(specifier);
    return beside === undefined || "path" in resolver.resolve(specifier, folder, "import") ? undefined : beside;
  };
  /** What files require by `createRequire`. */
  const requires = new Map<string, readonly string[]>();
  const requiresOf = (path: string): OnLoadResult => ({
    contents: requireTable(
      requiresModule(),
      realPathOf(path),
      dirname(path),
      requires.get(path) ?? [],
      resolver,
      (file) => loaderOf(file) !== undefined || isNativeAddon(file),
    ),
    loader: "js",
    resolveDir: dirname(path),
  });
  /** The result for a specifier. Files that a pattern matches are resolved by esbuild itself. */
  const resolved = new Set<string>();

  return {
    name: "own-folder",
    setup(build) {
      build.onResolve({ filter: notStarting(`./${PART}`) }, async (args): Promise<OnResolveResult | undefined> => {
        // What is injected for the globals that a hook names.
        if (args.kind === "entry-point" && isOffered(args.path)) return { path: args.path, sideEffects: false };
        if (args.kind === "entry-point" && args.path === CARRYING) return { path: CARRYING, namespace: CARRYING };
        if (args.namespace === CARRYING && args.path === carriedModule()) return { path: args.path };
        if (args.path === REQUIRES) return { path: args.importer, namespace: REQUIRES };
        if (args.namespace === REQUIRES && args.path === requiresModule()) return { path: args.path };
        if (args.namespace === WHOLES && isOffered(args.path)) return { path: args.path, sideEffects: false };
        if (!["file", "", REQUIRES].includes(args.namespace))
          return refuse(`imports from "${args.namespace}" are refused`);
        if (args.importer !== "" && isOffered(args.importer))
          return offeredImport(args, offered) ?? refuse(`import ${inQuotes(args.path)} cannot be offered to a hook`);
        if (/^[a-z][a-z0-9+.-]+:/i.test(args.path) && !args.path.startsWith("node:")) {
          // Another runtime's: such code has found out where it runs, or catches the failure.
          if (isLazy(args) && !/^(file|data|https?):/i.test(args.path))
            return thrower(args, `Cannot find package '${args.path}'`, "ERR_MODULE_NOT_FOUND");
          return refuse(`import ${inQuotes(args.path)} is refused: a hook is built from its own folder only`);
        }
        const offer = (file: string): OnResolveResult => {
          imports.add(args.path);
          offeredAs.set(file, args.path);
          if (args.kind !== "import-statement") addName(members, file, ALL);
          if (args.kind === "require-call" && isWhole(args.path)) {
            const name = args.path.replace(/^node:/, "");
            return { path: `${name}.cjs`, namespace: WHOLES, sideEffects: false, pluginData: file };
          }
          return { path: file, sideEffects: false };
        };
        const file = fullerModule(args.path, () => sourceOf(args.importer)) ?? offeredModule(args.path);
        if (file) return offer(file);
        if (isBuiltin(args.path) || isNativePackage(args.path)) {
          imports.add(args.path);
          const text = refusedModule(args.path);
          const library = relative(root, args.importer);
          if (isBuiltin(args.path) && (isLibrary(library) || isSeldomUsed(args)) && !mayFail(args)) {
            lacks.add(args.path);
            return { path: stubName(args.path, library), namespace: THROWER, pluginData: unusable(args.path, text) };
          }
          if (!defersAll && !isLazy(args)) return refuse(text);
          lacks.add(args.path);
          return thrower(args, text, REFUSED);
        }
        const found = resolver.resolve(
          args.path,
          args.resolveDir,
          args.kind.startsWith("require") ? "require" : "import",
        );
        if ("path" in found) {
          if (isNativeAddon(found.path)) {
            lacks.add(addonOf(found.path, root, resolver));
            const text = refusedAddon(found.path, root, resolver);
            return isLazy(args) ? thrower(args, text, REFUSED) : refuse(text);
          }
          resolved.add(found.path);
          return found;
        }
        const beside = offeredBeside(args.path);
        if (beside) return offer(beside);
        // Such code goes on without it, whatever lies above: that has no say.
        const isPackage = /^(@[\w.-]+\/)?\w[\w./-]*$/.test(args.path);
        if (isLazy(args) && (isPackage || "missing" in found)) {
          const kind = isPackage ? "package" : "module";
          return thrower(args, `Cannot find ${kind} '${args.path}'`, "ERR_MODULE_NOT_FOUND");
        }
        if ("leaks" in found) return refuse(`import ${inQuotes(args.path)} leads outside the hook's folder`);
        const isOfLibrary = isPackage && isLibrary(relative(root, args.importer));
        if (isOfLibrary && defersAll)
          return thrower(args, `Cannot find package '${args.path}'`, "ERR_MODULE_NOT_FOUND");
        const text = `Could not resolve ${inQuotes(args.path)} in the hook's own folder`;
        return { errors: [{ text, ...(isOfLibrary ? { detail: LACKED } : {}) }] };
      });

      build.onLoad({ filter: notStarting(built("modules", PART)) }, async (args): Promise<OnLoadResult | undefined> => {
        if (args.namespace === THROWER) return args.pluginData as OnLoadResult;
        if (args.namespace === REQUIRES) return requiresOf(args.path);
        if (args.namespace === CARRYING) return { contents: carrying, loader: "js" };
        if (args.namespace === WHOLES) return { contents: wholeOf(args.pluginData), loader: "js" };
        if (args.namespace !== "file") return refuse(`files of "${args.namespace}" are refused`);
        if (hasTypebox && args.path === typeboxNames())
          return { contents: typeboxWhole(), loader: "js", resolveDir: dirname(args.path) };
        if (isOffered(args.path))
          return offeredContents(args.path, wanted.get(args.path), (name) => specifierOf(offeredAs, args.path, name));
        // A link that leads nowhere keeps its name: reading it fails by itself.
        const real = realPathOf(args.path);
        if (basename(args.path).startsWith(PART)) return refuse(NO_PART);
        if (!isInside(real, root)) return refuse(`${args.path} lies outside the hook's folder`);
        const loader = loaderOf(real);
        if (!loader)
          return refuse(
            isNativeAddon(real)
              ? refusedAddon(real, root, resolver)
              : `${relative(root, real)} is refused: not TypeScript, JavaScript, JSON or text`,
          );
        let contents: string;
        try {
          contents = files.read(args.path).toString("utf8");
        } catch (error) {
          return refuse(`${relative(root, real)}: ${(error as Error).message}`);
        }
        if (loader === "json" || loader === "text") return { contents, loader };
        for (const [specifier, name] of [...namespaceMembers(contents), ...exportedAgain(contents)]) {
          const module = offeredModule(specifier) ?? besideOf(specifier, dirname(args.path));
          if (module) addName(members, module, name);
        }
        const ruling = resolver.packageOf(real);
        if (!ruling && !resolved.has(args.path) && hasPackageAbove(root))
          return refuse(
            `${relative(root, real)} is imported by a pattern, and a package.json above the hook's folder would say how: put one into the folder`,
          );
        const own = await withOwnPath(withRequire(withoutSourceMap(contents)), loader, real);
        const required = createdRequires(own.contents);
        if (required.length === 0) return own;
        requires.set(args.path, required);
        return { ...own, contents: withRequires(own.contents) };
      });
    },
  };
}

/** An import that is evaluated where code runs: it may never run, or may catch the failure. */
const isLazy = ({ kind }: OnResolveArgs): boolean => kind === "dynamic-import" || kind === "require-call";

/** A file of a package that the hook depends on. */
const isLibrary = (path: string): boolean => path.split(/[/\\]/).includes("node_modules");

/** Injected into a bundle that carries files. */
export const CARRYING = "cordon-carrying";
const REQUIRES = "cordon-requires";
const WHOLES = "cordon-wholes";

/** A file that first tells `node:module` what it requires, with its lines where they were. */
const withRequires = (code: string): string =>
  /^(import|export)\b/m.test(code)
    ? `${code}\nimport "${REQUIRES}";\n`
    : code.replace(/^(#!.*\n)?/, `$1require("${REQUIRES}");`);

/** esbuild would find it for what it resolves itself. */
const hasPackageAbove = (root: string): boolean =>
  foldersUp(dirname(root)).some((folder) => existsSync(join(folder, "package.json")));
