import { mkdirSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gunzipSync } from "node:zlib";
import { extract, Parser, type ReadEntry } from "tar";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";

/** Bounds of one package, packed and unpacked. Real hook packages have some dozens of files. */
export const MAX_PACKED_BYTES = 20 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 50 * 1024 * 1024;
const MAX_FILES = 5000;
/** With the headers of that many files, and what packers put between them. */
const MAX_TAR_BYTES = MAX_UNPACKED_BYTES + MAX_FILES * 2048;
const MAX_NAME = 200;
const MAX_DEPTH = 20;

const TOO_LARGE = `more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB unpacked`;

const refuse = (what: string): CordonError => new CordonError("LOAD_FAILED", `the package is refused: ${what}`);

/** What a package may be with all its dependencies. */
export const MAX_TREE_FILES = 30_000;
export const MAX_TREE_BYTES = 200 * 1024 * 1024;
export const TREE_TOO_LARGE = `with its dependencies it has more than ${MAX_TREE_FILES} files or ${MAX_TREE_BYTES / 1024 / 1024} MB`;

/** Counts what is unpacked for one package and its dependencies, before it is. */
export class Budget {
  #files = 0;
  #bytes = 0;

  /** Throws `LOAD_FAILED` when it is too much. */
  take({ files, bytes }: Size): void {
    this.#files += files;
    this.#bytes += bytes;
    if (this.#files > MAX_TREE_FILES || this.#bytes > MAX_TREE_BYTES) throw refuse(TREE_TOO_LARGE);
  }
}

interface Size {
  files: number;
  bytes: number;
}

/**
 * Unpacks a package's tarball into a folder, after every entry of it was looked at: files and folders only, under names
 * that are the same on every file system. Rejects with `LOAD_FAILED`, and then nothing was written.
 */
export async function unpack(packed: Buffer, folder: string, budget = new Budget()): Promise<void> {
  const plain = unzip(packed);
  budget.take(await inspect(plain));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const writer = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    // Its own modes have no say: a file that cannot be read could not be looked at either.
    onReadEntry: (entry) => {
      entry.mode = entry.type === "Directory" ? 0o755 : 0o644;
    },
  });
  try {
    await pipeline(Readable.from([plain]), writer);
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

/** Here and not in the parser, which unpacks all of a bomb into memory before anybody can count. */
function unzip(packed: Buffer): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_TAR_BYTES });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
      ? refuse(TOO_LARGE)
      : refuse(`it is no tarball that can be read (${messageOf(error)})`);
  }
}

async function inspect(plain: Buffer): Promise<Size> {
  const seen = new Map<string, Seen>();
  let files = 0;
  let bytes = 0;
  let fault: CordonError | undefined;
  const parser = new Parser({ strict: true });
  const stop = (error: CordonError): void => {
    fault ??= error;
    parser.abort(error);
  };
  parser.on("entry", (entry: ReadEntry) => {
    const found = faultOf(entry, seen);
    if (found) stop(refuse(found));
    if (++files > MAX_FILES) stop(refuse(`more than ${MAX_FILES} files`));
    entry.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_UNPACKED_BYTES) stop(refuse(TOO_LARGE));
    });
    entry.resume();
  });
  // What the parser itself ignores is no entry: a link, a device or a name that it does not know.
  parser.on("ignoredEntry", (entry: ReadEntry) =>
    stop(refuse(faultOf(entry, seen) ?? `an entry of type ${entry.type}`)),
  );
  await new Promise<void>((resolve, reject) => {
    parser.on("end", resolve);
    parser.on("error", reject);
    parser.on("abort", reject);
    parser.end(plain);
  }).catch((error) => {
    throw fault ?? refuse(`it is no tarball that can be read (${messageOf(error)})`);
  });
  if (fault) throw fault;
  if (files === 0) throw refuse("it is empty");
  return { files, bytes };
}

/** Why an entry is refused, if it is. `seen`: earlier names, folded as some file systems fold them. */
function faultOf({ type, path }: ReadEntry, seen: Map<string, Seen>): string | undefined {
  const shown = JSON.stringify(cleanLine(path, MAX_NAME));
  if (!["File", "OldFile", "ContiguousFile", "Directory"].includes(type)) return `${shown} is a ${type}`;
  if (/^[\\/]|^[A-Za-z]:/.test(path)) return `${shown} is an absolute name`;
  if (path.includes("\\")) return `${shown} has a backslash`;
  if (path !== cleanLine(path, MAX_NAME)) return `${shown} is too long, or has characters that cannot be shown`;
  const parts = path.split("/").filter((part, at, all) => part !== "" || at < all.length - 1);
  if (parts.some((part) => part === ".." || part === "." || part === "")) return `${shown} leads out of the package`;
  if (parts.length > MAX_DEPTH) return `${shown} is nested deeper than ${MAX_DEPTH} folders`;
  if (parts.some((part) => /[. ]$/.test(part) || /[<>:"|?*]/.test(part) || DEVICES.test(part)))
    return `${shown} is no name on every system`;
  if (parts.length === 1 && type !== "Directory") return `${shown} lies beside the package's folder`;
  for (let end = 1; end <= parts.length; end++) {
    const name = parts.slice(0, end).join("/");
    const isFolder = end < parts.length || type === "Directory";
    // As file systems fold that do not tell cases apart: ß and SS are one name there, and so are ﬁ and fi.
    const folded = name.normalize("NFKC").toLowerCase().toUpperCase();
    const other = seen.get(folded);
    if (other && other.name !== name) return `${shown} and ${JSON.stringify(other.name)} are one name on some systems`;
    if (other && other.isFolder !== isFolder) return `${JSON.stringify(name)} is a file and a folder`;
    if (other && !isFolder) return `${shown} is there twice`;
    if (!other && end === 1 && seen.size > 0) return `${shown} lies beside the package's folder`;
    seen.set(folded, { name, isFolder });
  }
  return undefined;
}

interface Seen {
  name: string;
  isFolder: boolean;
}

/** Windows takes these for devices, in every folder and with every ending. */
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\.|$)/i;
