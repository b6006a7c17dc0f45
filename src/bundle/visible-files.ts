import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { relative, sep } from "node:path";
import { isInside } from "../runtime/find-program.ts";
import { MAX_BUNDLE_BYTES, type SourceFile } from "./protocol.ts";

/**
 * The files of a hook's own folder, as all that there is: what lies outside, or is linked to from inside, is not there.
 * Whatever a build learns from it is noted, so that the hook's identity can stand for it.
 */
export class VisibleFiles {
  readonly #root: string;
  readonly #seen = new Map<string, SourceFile>();
  /** Read once: what is noted is what was used, whoever writes meanwhile. */
  readonly #bytes = new Map<string, Buffer>();
  #leaks = false;

  /** @param root real path of the folder */
  constructor(root: string) {
    this.#root = root;
  }

  /** All that was read, and the links that were followed. */
  get seen(): SourceFile[] {
    return [...this.#seen.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The text of all code that was read, without that of its packages. */
  ownCode(): string {
    const code = [...this.#bytes].filter(
      ([path]) => /\.[cm]?[jt]sx?$/.test(path) && !/[\\/]node_modules[\\/]/.test(path.slice(this.#root.length)),
    );
    return code.map(([, bytes]) => bytes.toString("utf8")).join("\n");
  }

  /** Whether a way out of the folder was tried, or a link met that is one, since this was asked last. */
  takeLeaks(): boolean {
    const leaks = this.#leaks;
    this.#leaks = false;
    return leaks;
  }

  /** The real path of what is visible under a path. Throws `ENOENT` for what is not. */
  real(path: string): string {
    if (!isInside(path, this.#root)) {
      // What each folder above is asked for is no way out of this one.
      if (!/[\\/](node_modules|package\.json)$/.test(path)) this.#leaks = true;
      throw absent(path);
    }
    const real = realpathSync(path);
    if (isInside(real, this.#root)) return real;
    this.#leaks = true;
    throw absent(path);
  }

  /** Where a file really is, if a path is one's; the way there is noted. */
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

  /** Reads a file, and notes it with the way to it. */
  read(path: string): Buffer {
    const real = this.real(path);
    const bytes = this.#bytes.get(real) ?? readRegularFile(real);
    this.#bytes.set(real, bytes);
    const own = this.#own(real);
    this.#seen.set(own, { path: own, sha256: createHash("sha256").update(bytes).digest("hex") });
    this.#noteWay(path, real);
    return bytes;
  }

  /** What esbuild and the resolver take for a file system. A pipe or a device counts as a file, which reading it then refuses. */
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

  /** A link decides what a name stands for, as a `package.json` does. */
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
