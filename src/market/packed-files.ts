import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { Worker } from "node:worker_threads";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { builtForHost } from "../base/package-root.ts";
import { cleanLine, shownName } from "../base/text.ts";
import { entriesBelow } from "../disk/entries-below.ts";
import { renamePaths } from "../disk/rename-paths.ts";

/** Longest listing, in ms. Real packages take 10 to 500. */
const LISTING_MS = 30_000;

/** npm's libraries take many times the size of the patterns. */
const MEMORY_MB = 512;

/** Largest of the files that npm's libraries read to know what they pack. */
const MAX_READ_BYTES = 1024 * 1024;

/** A package as npm's libraries know it. Without edges it brings no dependency along. */
interface Node {
  path: string;
  package: object;
  isProjectRoot: true;
  edgesOut: ReadonlyMap<string, unknown>;
}

/**
 * The files that npm puts into the package of a folder, relative to it. Dependencies that it would bring along are left out.
 * `undefined` for a `package.json` with which npm makes no package. Rejects with `LOAD_FAILED` if npm cannot tell the files,
 * or not within `patience`, in ms.
 */
export async function packedFiles(folder: string, patience = LISTING_MS): Promise<ReadonlySet<string> | undefined> {
  const node = nodeOf(folder);
  return node && new Set(await listed(node, patience));
}

/**
 * What pacote loads a package with that it is to pack. It is listed here before, by itself: pacote lists it in this thread.
 * `own`: the name that a person knows the folder by.
 */
export const packerOf = (own: string) =>
  class {
    readonly folder: string;

    constructor({ path }: { path: string }) {
      this.folder = path;
    }

    async loadActual(): Promise<Node> {
      try {
        const node = nodeOf(this.folder);
        if (node === undefined) throw refused(this.folder, 'npm makes no package of its "files", "main" or "bin"');
        await listed(node, LISTING_MS);
        return node;
      } catch (error) {
        if (!(error instanceof CordonError)) throw error;
        throw new CordonError(error.code, renamePaths(error.message, [[this.folder, own]]));
      }
    }
  };

function nodeOf(folder: string): Node | undefined {
  refuseUnreadable(folder);
  const path = join(folder, "package.json");
  const { files, main, bin, browser } = readJson(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  if (!isListing(files) || !isOptionalText(main) || !isPrograms(bin)) return undefined;
  const programs = typeof bin === "string" ? { program: bin } : bin;
  const json = { files: files?.filter(isInside), main, bin: programs, browser: isText(browser) ? browser : undefined };
  return { path: folder, package: json, isProjectRoot: true, edgesOut: new Map() };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isListing = (value: unknown): value is string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(isText));
const isPrograms = (value: unknown): boolean =>
  isOptionalText(value) || (typeof value === "object" && value !== null && Object.values(value).every(isText));

/** A pattern that leads out of the package finds nothing that npm would take, and looks at the whole disk. */
const isInside = (pattern: string): boolean => !/(^|[\\/{,])\.\.($|[\\/},])/.test(pattern);

const refused = (path: string, why: string): CordonError => new CordonError("LOAD_FAILED", `${path}: ${why}`);

const PATTERNS = 'the patterns in "files" of package.json, .npmignore and .gitignore';

/** Lists them in a thread that is stopped when the time is up: a pattern of 40 stars takes npm's libraries longer than anyone waits. */
async function listed(node: Node, patience: number): Promise<string[]> {
  const { path } = node;
  const thread = new Worker(builtForHost("market", "listing.js"), {
    workerData: node,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    return await new Promise<string[]>((done, fail) => {
      const late = `npm's libraries could not tell within ${patience / 1000} s which files they pack; mend ${PATTERNS}`;
      AbortSignal.timeout(patience).addEventListener("abort", () => fail(refused(path, late)));
      thread.on("message", done);
      thread.on("error", (error) => fail(refused(path, whyOf(error, path))));
      thread.on("exit", () => fail(refused(path, "npm's libraries ended before they told which files they pack")));
    });
  } finally {
    await thread.terminate();
  }
}

/** What is wrong with a folder for npm's libraries, and what would mend it. */
function whyOf(error: unknown, folder: string): string {
  const { code, path } = error as NodeJS.ErrnoException;
  const place = path === undefined ? "" : shownName(relative(folder, path), 300);
  if (code === "EACCES" || code === "EPERM")
    return `npm packs ${place} too, which may not be read; let it be read, or name it in .npmignore`;
  // Node reads a name that is not UTF-8 with this in place of its bytes, and finds nothing by that.
  if (code === "ENOENT" && place.includes("\ufffd"))
    return `npm cannot pack ${place}, whose name is not UTF-8; rename it`;
  return `npm's libraries cannot tell which files they pack (${cleanLine(messageOf(error), 300)}); mend ${PATTERNS}`;
}

/** What npm's libraries read of each folder that they look through. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".npmignore", ".gitignore"]);

/**
 * Checks the files that npm's libraries read to know what they pack. Throws `LOAD_FAILED` for a pipe, which would keep them waiting,
 * for a link out of the folder, and for a large file. npm does not pack what is installed in the folder.
 */
export function refuseUnreadable(folder: string): void {
  refuseUnreadableFile(join(folder, "package.json"), folder);
  const modules = join(folder, "node_modules");
  for (const entry of entriesBelow(folder, (path) => path !== modules))
    if (IGNORE_FILES.has(entry.name)) refuseUnreadableFile(join(entry.parentPath, entry.name), folder);
}

function refuseUnreadableFile(path: string, folder: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status || status.isDirectory()) return;
  if (!status.isFile()) throw refused(path, "not a regular file");
  const target = relative(realpathSync(folder), realpathSync(path));
  if (target.startsWith(`..${sep}`) || resolve(target) === target)
    throw refused(path, "a link out of the package; put a file in its place");
  if (status.size > MAX_READ_BYTES)
    throw refused(path, `it has ${status.size} bytes; npm's libraries are given ${MAX_READ_BYTES} at most; shorten it`);
}
