/**
 * Files of its package that a bundle carries. `node:fs` reads them without the host, as long as the hook writes nothing there:
 * what is in the bundle is no power.
 */
import type { AnswerOf, FileFacts } from "../../wire/answers.ts";
import type { OperationName } from "../../wire/operations.ts";
import { Buffer } from "./buffer.ts";
import { fault } from "./fault.ts";

/** A file: its text, or its bytes in base64. */
type Content = readonly [path: string, content: string, isBase64?: boolean];

/** What a bundle carries of one package. Paths are relative to its folder, with `/`. */
export interface CarriedPackage {
  readonly files: readonly Content[];
  /** All that is in these is among the files. */
  readonly folders: readonly string[];
  /** Ends of paths that lead to nothing in the package. */
  readonly absent: readonly string[];
}

const files = new Map<string, Content>();
const folders = new Set<string>();
const absentIn = new Map<string, ReadonlySet<string>>();
/** Paths in packages that the hook changed: they and what is below them are the host's from then on. */
const changed = new Set<string>();

/** Takes what the build wrote into the bundle. It may be called before the modules that this one imports were evaluated. */
export function carry(folder: string, carried: CarriedPackage): void {
  for (const content of carried.files) files.set(`${folder}/${content[0]}`, content);
  for (const path of carried.folders) folders.add(`${folder}/${path}`);
  absentIn.set(folder, new Set(carried.absent));
}

/** The answer that the host would give about a file of the package; `undefined` if the host is to be asked. */
export function carriedAnswer<Name extends OperationName>(
  op: Name,
  args: readonly unknown[],
): AnswerOf<Name> | undefined {
  return answer(op, args) as AnswerOf<Name> | undefined;
}

function answer(op: string, args: readonly unknown[]): unknown {
  if (absentIn.size === 0 || !READS.has(op)) return undefined;
  const asked = args[0] as string;
  const path = plain(asked);
  if (isChanged(path)) return undefined;
  const content = files.get(path);
  if (content && asked.endsWith("/")) throw fault(Error, "ENOTDIR", "ENOTDIR: not a directory");
  if (content) return answerOf(content, path, op, args);
  if (isWhole(path)) return answerOfFolder(path, op, args);
  if (liesInWhole(path) || isAbsent(path)) throw fault(Error, "ENOENT", "ENOENT: no such file or directory");
  return undefined;
}

/** Passes on the host's answer to what may have changed a file. */
export function noted<T>(op: string, args: readonly unknown[], answer: T): T {
  if (absentIn.size > 0 && !READS.has(op) && !LOOKS.has(op))
    for (const one of args) if (typeof one === "string" && one.startsWith("/")) noteChange(plain(one));
  return answer;
}

/** The bytes of a carried file that the hook did not change. */
export function carriedBytes(path: string): Buffer | undefined {
  const content = files.get(plain(path));
  return content && !isChanged(plain(path)) ? bytesOf(content) : undefined;
}

/** What only looks, and what the host alone can say. */
const LOOKS = new Set(["fs.writable", "fs.look", "fs.changed", "fs.readlink"]);

function noteChange(path: string): void {
  for (const folder of absentIn.keys()) if (isIn(path, folder) || isIn(folder, path)) changed.add(path);
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const isChanged = (path: string): boolean => [...changed].some((one) => isIn(path, one));

/** The nearest of the folders above, of those that are there, is one of which everything is known. Throws if it is a file. */
function liesInWhole(path: string): boolean {
  for (let folder = parent(path); folder !== ""; folder = parent(folder)) {
    if (files.has(folder)) throw fault(Error, "ENOTDIR", "ENOTDIR: not a directory");
    if (isWhole(folder)) return true;
  }
  return false;
}

const isWhole = (path: string): boolean => folders.has(path) && ![...changed].some((one) => isIn(one, path));

/** Hidden files, and packages in the package, are nothing that the build looked at. */
function isAbsent(path: string): boolean {
  for (const [folder, names] of absentIn) {
    const parts = isIn(path, folder) ? path.slice(folder.length + 1).split("/") : [];
    if (parts.some((part) => part.startsWith(".") || part === "node_modules")) continue;
    if (parts.some((_part, at) => names.has(parts.slice(at).join("/")))) return true;
  }
  return false;
}

const READS = new Set(["fs.read", "fs.stat", "fs.lstat", "fs.realpath", "fs.readdir"]);

const bytesOf = ([, content, isBase64]: Content): Buffer => Buffer.from(content, isBase64 ? "base64" : "utf8");

function answerOf(file: Content, path: string, op: string, args: readonly unknown[]): unknown {
  if (op === "fs.realpath") return path;
  if (op === "fs.readdir") throw fault(Error, "ENOTDIR", "ENOTDIR: not a directory");
  if (op !== "fs.read") return facts("file", bytesOf(file).length);
  const [, encoding, from = 0, length = Infinity] = args as [string, "utf8" | "base64", number?, number?];
  if (encoding === "utf8") return { text: bytesOf(file).toString() };
  return {
    base64: bytesOf(file)
      .subarray(from, from + length)
      .toBase64(),
  };
}

function answerOfFolder(path: string, op: string, args: readonly unknown[]): unknown {
  if (op === "fs.realpath") return path;
  if (op === "fs.read") throw fault(Error, "EISDIR", "EISDIR: illegal operation on a directory");
  if (op !== "fs.readdir") return facts("folder", 4096);
  const isDeep = args[1] === true;
  const inside = (other: string): boolean =>
    isDeep ? other.startsWith(`${path}/`) : other !== path && parent(other) === path;
  const entry = (type: string) => (other: string) => ({ name: other.slice(path.length + 1), type });
  return [
    ...[...folders].filter(inside).map(entry("folder")),
    ...[...files.keys()].filter(inside).map(entry("file")),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** npm gives each file of a package the same time. */
const PACKED = Date.UTC(1985, 9, 26, 8, 15);

const facts = (type: string, size: number): FileFacts => ({
  type,
  size,
  mode: type === "file" ? 0o100644 : 0o40755,
  nlink: 1,
  blksize: 4096,
  blocks: Math.ceil(size / 512),
  ino: 0,
  dev: 0,
  ...{ atimeMs: PACKED, mtimeMs: PACKED, ctimeMs: PACKED, birthtimeMs: PACKED },
});

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** A path without `.`, `..` and doubled separators: no link leads away from what a bundle carries. */
function plain(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
