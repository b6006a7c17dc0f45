import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gunzipSync } from "node:zlib";
import { extract, Parser, type ReadEntry } from "tar";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { makeFolders } from "../disk/make-folders.ts";

/** Limits of one package, packed and unpacked. Real packages of hooks have some dozens of files. */
export const MAX_PACKED_BYTES = 20 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 50 * 1024 * 1024;
const MAX_FILES = 5000;
/** With the headers of that many files, and the padding between them. */
const MAX_TAR_BYTES = MAX_UNPACKED_BYTES + MAX_FILES * 2048;
const MAX_NAME = 200;
const MAX_DEPTH = 20;

const TOO_LARGE = `more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB unpacked`;

/** The error for a package that is not what it should be. */
export const refused = (why: string): CordonError => new CordonError("LOAD_FAILED", `the package is refused: ${why}`);

/** Limits of a package with all its dependencies. */
export const MAX_TREE_FILES = 30_000;
export const MAX_TREE_BYTES = 200 * 1024 * 1024;
export const TREE_TOO_LARGE = `with its dependencies it has more than ${MAX_TREE_FILES} files or ${MAX_TREE_BYTES / 1024 / 1024} MB`;

/** Counts the files of a package and its dependencies before they are unpacked. */
export class Budget {
  #files = 0;
  #bytes = 0;

  /** Throws `LOAD_FAILED` above the limits. */
  take({ files, bytes }: Size): void {
    this.#files += files;
    this.#bytes += bytes;
    if (this.#files > MAX_TREE_FILES || this.#bytes > MAX_TREE_BYTES) throw refused(TREE_TOO_LARGE);
  }
}

interface Size {
  files: number;
  bytes: number;
}

/**
 * Unpacks the tarball of a package into a folder, after a check of all its entries: files and folders only, with names that
 * are valid and distinct on every file system. If it rejects, with `LOAD_FAILED`, it has written nothing.
 */
export async function unpack(packed: Buffer, folder: string, budget = new Budget()): Promise<void> {
  const plain = unzip(packed);
  budget.take(await inspect(plain));
  makeFolders(folder);
  const writer = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    // The modes in the archive are ignored: a file that cannot be read could not be checked either.
    onReadEntry: (entry) => {
      entry.mode = entry.type === "Directory" ? 0o755 : 0o644;
    },
  });
  try {
    await pipeline(Readable.from([plain]), writer);
  } catch (error) {
    throw refused(messageOf(error));
  }
}

/** Unzips here and not in the parser, which unpacks a whole bomb into memory before its size is known. */
function unzip(packed: Buffer): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_TAR_BYTES });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
      ? refused(TOO_LARGE)
      : refused(`it is not a readable tarball (${messageOf(error)})`);
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
    if (found) stop(refused(found));
    if (++files > MAX_FILES) stop(refused(`more than ${MAX_FILES} files`));
    entry.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_UNPACKED_BYTES) stop(refused(TOO_LARGE));
    });
    entry.resume();
  });
  // The parser reports links, devices and unknown types here, and not as entries.
  parser.on("ignoredEntry", (entry: ReadEntry) =>
    stop(refused(faultOf(entry, seen) ?? `an entry of type ${entry.type}`)),
  );
  await new Promise<void>((resolve, reject) => {
    parser.on("end", resolve);
    parser.on("error", reject);
    parser.on("abort", reject);
    parser.end(plain);
  }).catch((error) => {
    throw fault ?? refused(`it is not a readable tarball (${messageOf(error)})`);
  });
  if (fault) throw fault;
  if (files === 0) throw refused("it is empty");
  return { files, bytes };
}

/** Why an entry is refused, if it is. `seen`: earlier names, folded as case-insensitive file systems fold them. */
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
    return `${shown} is not a valid name on every system`;
  if (parts.length === 1 && type !== "Directory") return `${shown} lies beside the package's folder`;
  for (let end = 1; end <= parts.length; end++) {
    const name = parts.slice(0, end).join("/");
    const isFolder = end < parts.length || type === "Directory";
    // As case-insensitive file systems fold names: ß and SS are one name there, and so are ﬁ and fi.
    const folded = name.normalize("NFKC").toLowerCase().toUpperCase();
    const other = seen.get(folded);
    if (other && other.name !== name) return `${shown} and ${JSON.stringify(other.name)} are one name on some systems`;
    if (other && other.isFolder !== isFolder) return `${JSON.stringify(name)} is a file and a folder`;
    if (other && !isFolder) return `${shown} appears twice`;
    if (!other && end === 1 && seen.size > 0) return `${shown} lies beside the package's folder`;
    seen.set(folded, { name, isFolder });
  }
  return undefined;
}

interface Seen {
  name: string;
  isFolder: boolean;
}

/** Windows reads these as devices, in every folder and with every extension. */
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\.|$)/i;
