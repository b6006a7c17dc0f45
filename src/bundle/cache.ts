import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { readIfThere, writeForNow } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import type { Capabilities } from "../grants/schema.ts";
import { isInside } from "../runtime/find-program.ts";
import type { Built } from "./build.ts";
import { builderOf, builderVersion } from "./builder.ts";
import { digestOf, sha256 } from "./digest.ts";
import { namesHash } from "./package-tree.ts";
import type { Branch, SourceFile } from "./protocol.ts";

/** A built bundle, as it is cached and run. */
export interface Bundle {
  digest: string;
  code: string;
  /** Source map, version 3, as JSON text. */
  map: string;
  /** Canonical text of its manifest; empty if it has none. */
  manifest: string;
  /** Modules that Cordon provides to it. */
  imports: readonly string[];
  /** As in a `BuildAnswer`. */
  agent?: "openclaw";
  configSchema?: Record<string, unknown>;
  carries?: readonly string[];
  /** Powers that its code seems to use. */
  uses: readonly string[];
  /** What its own code names of pi's API, as in {@link writtenIn}. */
  written: Capabilities;
  /** Modules and names that it imports and cannot have: where its code uses one, that throws. */
  lacks: readonly string[];
  /** The counted branches of its own code, if its code counts them. */
  branches?: readonly Branch[];
  /** What built it, as in {@link builderOf}. */
  builder: string;
}

/**
 * Bundles under `<home>/bundles`, by digest and builder version. For each hook file it also keeps the list of files that the
 * last build read, and of those that it looked for in vain: if none of them changed, the digest is known without a build. What is
 * broken is built again.
 */
export class BundleCache {
  readonly #folder: string;
  /** Its bundles count their branches, and are other files than those that do not. */
  readonly branches: boolean;

  constructor(home: string, branches = false) {
    this.#folder = inHome(home, "bundles");
    this.branches = branches;
  }

  /** The bundle of a hook whose files have not changed since its last build. `packed`: as in a `BuildRequest`. */
  unchanged(root: string, entry: string, manifest: string, packed: boolean): Bundle | undefined {
    const { files, absent } = this.#read<Record<string, unknown>>(this.#listPath(root, entry, packed)) ?? {};
    if (!isFileList(files) || !files.every((file) => isUnchanged(root, file))) return undefined;
    if (!isPathList(absent) || !absent.every((path) => isAbsent(join(root, path)))) return undefined;
    return this.byDigest(digestOf(files, entry, manifest), root);
  }

  /** The bundle with this digest, whatever the hook's folder contains now. */
  byDigest(digest: string, root: string): Bundle | undefined {
    const kept = this.#read<{ sha256: string; bundle: string }>(this.#bundlePath(digest, root));
    if (!kept || typeof kept.bundle !== "string" || sha256(kept.bundle) !== kept.sha256) return undefined;
    const bundle: Bundle = readJson(kept.bundle);
    return bundle.digest === digest ? bundle : undefined;
  }

  keep(root: string, entry: string, manifest: string, packed: boolean, built: Built): Bundle {
    const { code, map, files, absent, branches, imports, agent, configSchema, carries, uses, written, lacks } = built;
    const digest = digestOf(files, entry, manifest);
    const plugin = { ...(agent ? { agent } : {}), ...(configSchema ? { configSchema } : {}) };
    const found = {
      imports,
      ...plugin,
      uses,
      written,
      lacks,
      ...(carries ? { carries } : {}),
      ...(branches ? { branches } : {}),
    };
    const bundle: Bundle = { digest, code, map, manifest, ...found, builder: builderOf(built) };
    const text = JSON.stringify(bundle);
    writeForNow(this.#bundlePath(digest, root), JSON.stringify({ sha256: sha256(text), bundle: text }));
    writeForNow(this.#listPath(root, entry, packed), JSON.stringify({ root, entry, files, absent }));
    return bundle;
  }

  /** Absolute paths of all that the last build of a hook read, links last. A bundle has no part of what its code does not use. */
  lastRead(root: string, entry: string, packed: boolean): string[] {
    const list = this.#read<{ files: unknown }>(this.#listPath(root, entry, packed))?.files;
    if (!isFileList(list)) return [];
    const files = list.filter(({ path }) => !path.endsWith("/"));
    const isLink = ({ link }: SourceFile): number => (link === undefined ? 0 : 1);
    return files.toSorted((a, b) => isLink(a) - isLink(b)).map(({ path }) => join(root, path));
  }

  /** Folders in this one, as absolute paths, that bundles were built from: those of the newest first. */
  builtIn(folder: string): string[] {
    const roots = this.#lists().filter(({ root }) => isInside(root, folder));
    const built = roots.map(({ path, root }) => ({ root, at: lstatSync(path).mtimeMs }));
    return built.sort((a, b) => b.at - a.at).map(({ root }) => root);
  }

  /** Removes the bundles that were built from a folder and its subfolders. */
  forget(folder: string): void {
    for (const { path, root } of this.#lists()) {
      if (!isInside(root, folder)) continue;
      const key = `-${sha256(root).slice(0, 16)}-`;
      for (const name of namesIn(this.#folder)) if (name.includes(key)) rmSync(join(this.#folder, name));
      rmSync(path, { force: true });
    }
  }

  #lists(): { path: string; root: string }[] {
    const paths = namesIn(join(this.#folder, "sources")).map((name) => join(this.#folder, "sources", name));
    return paths.flatMap((path) => {
      const root = this.#read<{ root: unknown }>(path)?.root;
      return typeof root === "string" ? [{ path, root }] : [];
    });
  }

  /** A bundle knows the folder it was built for (`__dirname`), so each folder has its own. */
  #bundlePath(digest: string, root: string): string {
    return join(this.#folder, `${digest}-${sha256(root).slice(0, 16)}-${builderVersion()}${this.#kind}.json`);
  }

  #listPath(root: string, entry: string, packed: boolean): string {
    const key = sha256(`${root}\0${entry}${packed ? "\0packed" : ""}`);
    return join(this.#folder, "sources", `${key}${this.#kind}.json`);
  }

  get #kind(): string {
    return this.branches ? "-branches" : "";
  }

  #read<T>(path: string): T | undefined {
    try {
      const text = readIfThere(path);
      return text === undefined ? undefined : readJson(text);
    } catch {
      return undefined;
    }
  }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

function isFileList(value: unknown): value is SourceFile[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (file) =>
        typeof file?.path === "string" &&
        typeof file.sha256 === "string" &&
        (file.link === undefined || typeof file.link === "string"),
    )
  );
}

const isPathList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((path) => typeof path === "string");

/** Nothing is there, or a link that leads nowhere. */
const isAbsent = (path: string): boolean => !existsSync(path);

function isUnchanged(root: string, { path, sha256: known, link }: SourceFile): boolean {
  try {
    const file = join(root, path);
    const real = realpathSync(file);
    if (path.endsWith("/")) return namesHash(real) === known;
    if (link !== undefined) return file !== real && real === join(root, link);
    return real === file && lstatSync(file).isFile() && sha256(readFileSync(file)) === known;
  } catch {
    return false;
  }
}
