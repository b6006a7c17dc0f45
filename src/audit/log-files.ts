import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolders } from "../disk/make-folders.ts";
import { MAX_LINE } from "./line.ts";

/** The name of the chain that processes share: it has no id. */
export const SHARED = "";

/** A file of a log: what one chain has of one day. */
export interface LogFile {
  name: string;
  /** `2026-01-31` */
  day: string;
  /** 16 hexadecimal digits, or {@link SHARED}. */
  chain: string;
}

const NEWLINE = 10;

const NAME = /^(?<day>\d{4}-\d{2}-\d{2})(?:\.(?<chain>[0-9a-f]{16}))?\.jsonl$/;

export const logFileName = (day: string, chain: string): string => `${day}${chain && `.${chain}`}.jsonl`;

/** The files of a log, by day. */
export const auditFiles = (folder: string): LogFile[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const found = NAME.exec(name)?.groups as { day: string; chain?: string } | undefined;
      return found ? [{ name, day: found.day, chain: found.chain ?? SHARED }] : [];
    });

/** The last whole line of a file; empty if there is none. */
export function lastLine(path: string): string {
  const file = openLog(path, constants.O_RDONLY);
  try {
    return tailOf(file).last;
  } finally {
    closeSync(file);
  }
}

/** The size of a file, its last line that ends with a line break, and the number of bytes after that: a line that was not written whole. */
export function tailOf(file: number): { size: number; last: string; torn: number } {
  const { size } = fstatSync(file);
  const length = Math.min(size, 2 * MAX_LINE);
  const tail = Buffer.alloc(length);
  readSync(file, tail, 0, length, size - length);
  const end = tail.lastIndexOf(NEWLINE);
  // Nothing that Cordon writes is that long.
  if (end < 0 && length < size) return { size, last: "", torn: 0 };
  const start = end > 0 ? tail.lastIndexOf(NEWLINE, end - 1) + 1 : 0;
  return { size, last: end < 0 ? "" : tail.toString("utf8", start, end), torn: length - end - 1 };
}

/** Opens a file of the log. Throws if it is a link, or no regular file. */
export function openLog(path: string, flags: number): number {
  for (;;) {
    let file: number;
    try {
      // If a pipe or a link replaced the log, writing would block the agent or go elsewhere.
      file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || existsSync(dirname(path))) throw error;
      makeFolders(dirname(path));
      continue;
    }
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    throw new Error(`${path}: not a regular file`);
  }
}
