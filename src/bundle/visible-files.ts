import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { extname, relative, sep } from "node:path";
import { MAX_BUNDLE_BYTES } from "../../sandbox/wire/messages.ts";
import { isInside } from "../runtime/find-program.ts";
import type { SourceFile } from "./protocol.ts";

/**
 * A file system that contains only the hook's own folder: files outside do not exist in it, not even through a link.
 * Everything that a build reads is recorded, so that the hook's digest covers it.
 */
export class VisibleFiles {
  readonly #root: string;
  readonly #seen = new Map<string, SourceFile>();
  /** Each file is read once, so that what is recorded is what was used, even if somebody writes meanwhile. */
  readonly #bytes = new Map<string, Buffer>();
  readonly #absent = new Set<string>();
  #leaks = false;

  /** @param root real path of the folder */
  constructor(root: string) {
    this.#root = root;
  }

  /** All files that were read, and the links that were followed. */
  get seen(): SourceFile[] {
    return [...this.#seen.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** All places where a file was looked for and none was. */
  get absent(): string[] {
    return [...this.#absent].sort();
  }

  /** The text of all code that was read, without that of its packages. */
  ownCode(): string {
    const code = [...this.#bytes].filter(([path]) => this.isOwnCode(this.#own(path)));
    return code.map(([, bytes]) => bytes.toString("utf8")).join("\n");
  }

  /** Whether code was read from the file at this relative path, with `/`, and it is of no package that the hook uses. */
  readonly isOwnCode = (path: string): boolean =>
    this.#seen.has(path) && /\.[cm]?[jt]sx?$/.test(path) && !path.split("/").includes("node_modules");

  /** Whether the build tried to leave the folder, directly or through a link, since the last call. */
  takeLeaks(): boolean {
    const leaks = this.#leaks;
    this.#leaks = false;
    return leaks;
  }

  /** The real path of a visible file or folder. Throws `ENOENT` for anything else. */
  real(path: string): string {
    if (!isInside(path, this.#root)) {
      // What each folder above is asked for is no way out of this one, nor are files called as it with an ending: a package that
      // imports itself by its name is looked for as one first.
      const isAsked = /[\\/](node_modules|package\.json)$/.test(path) || path === `${this.#root}${extname(path)}`;
      if (!isAsked) this.#leaks = true;
      throw absent(path);
    }
    const real = this.#realOrNote(path);
    if (isInside(real, this.#root)) return real;
    this.#leaks = true;
    throw absent(path);
  }

  /** The real path of a file, if there is one. Links on the way are recorded. */
  follow(path: string): string | undefined {
    try {
      const real = this.real(path);
      if (statSync(real).isDirectory()) return undefined;
      this.#noteWay(path, real);
      return real;
    } catch {
      return undefined;
    }
  }

  /** Reads a file, and records it with the links on the way. */
  read(path: string): Buffer {
    const real = this.real(path);
    const bytes = this.#bytes.get(real) ?? readRegularFile(real);
    this.#bytes.set(real, bytes);
    this.#note(path, real, bytes);
    return bytes;
  }

  /** The same for a file that is no code of the hook's, whatever it is called. A link that has come into its place is refused. */
  readData(path: string): Buffer {
    const real = this.real(path);
    if (real !== path) throw absent(path);
    const bytes = this.#bytes.get(real) ?? readRegularFile(real);
    this.#note(path, real, bytes);
    return bytes;
  }

  /** Records a hash of the names of all that is in a folder, which decide what is in the bundle. */
  noteNames(folder: string, hash: string): void {
    const path = `${this.#own(folder) || "."}/`;
    this.#seen.set(path, { path, sha256: hash });
  }

  #note(path: string, real: string, bytes: Buffer): void {
    const own = this.#own(real);
    this.#seen.set(own, { path: own, sha256: createHash("sha256").update(bytes).digest("hex") });
    this.#noteWay(path, real);
  }

  /** The file system for esbuild and the resolver. A pipe or a device counts as a file; reading it fails. */
  readonly fileSystem = {
    statSync: (path: string) => {
      const isFolder = statSync(this.real(path)).isDirectory();
      return { isFile: () => !isFolder, isDirectory: () => isFolder };
    },
    readFileSync: (path: string) => this.read(path),
    readlinkSync: (path: string) => {
      // The way to the folder is no part of it.
      if (!isInside(path, this.#root)) throw absent(path);
      const real = this.real(path);
      const target = readlinkSync(path);
      this.#noteWay(path, real);
      return target;
    },
    readdirSync: (path: string): never => {
      throw absent(path);
    },
  };

  #realOrNote(path: string): string {
    try {
      return realpathSync(path);
    } catch (error) {
      this.#absent.add(this.#own(path));
      throw error;
    }
  }

  /** A link decides what a name means, like a `package.json`. */
  #noteWay(path: string, real: string): void {
    if (path === real) return;
    const way = this.#own(path);
    this.#seen.set(way, { path: way, sha256: "", link: this.#own(real) });
  }

  readonly #own = (path: string): string => relative(this.#root, path).split(sep).join("/");
}

const absent = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });

/** Devices and pipes could block the build or never end; a link put here since the check would lead elsewhere. */
function readRegularFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error("not a regular file");
    if (status.size > MAX_BUNDLE_BYTES) throw new Error(`larger than ${MAX_BUNDLE_BYTES} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
