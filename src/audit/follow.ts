import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { attemptOr } from "../base/attempt.ts";
import { type AuditLine, parseLine } from "./line.ts";
import { auditFiles, openLog } from "./log-files.ts";
import { isStatement } from "./statement.ts";

/** How often the files are looked at, in ms. */
const EVERY_MS = 200;

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;

const NEWLINE = 10;

/** Where the files of a log end: bytes, by file. */
export type Ends = Map<string, number>;

/** A log that is not there yet has no files. */
export const endsOf = (folder: string): Ends =>
  new Map(filesIn(folder).map((name) => [name, sizeOf(join(folder, name))]));

/** Lines that are added to a log behind these ends, in the order of their times as far as they are seen together, until `signal`. */
export async function* followAudit(folder: string, ends: Ends, signal: AbortSignal): AsyncGenerator<AuditLine> {
  const seen = new Map(ends);
  while (!signal.aborted) {
    const added: AuditLine[] = [];
    for (const name of filesIn(folder)) {
      const { lines, end } = linesFrom(join(folder, name), seen.get(name) ?? 0);
      seen.set(name, end);
      for (const text of lines) {
        const line = parseLine(text);
        if (line && !isStatement(line)) added.push(line);
      }
    }
    yield* added.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    await pause(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

const filesIn = (folder: string): string[] => attemptOr(() => auditFiles(folder).map(({ name }) => name), []);

function sizeOf(path: string): number {
  const file = openLog(path, constants.O_RDONLY);
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** The whole lines behind a position, and where they end. */
function linesFrom(path: string, start: number): { lines: string[]; end: number } {
  const file = openLog(path, constants.O_RDONLY);
  const lines: string[] = [];
  const bytes = Buffer.alloc(CHUNK);
  let end = start;
  try {
    for (;;) {
      const count = readSync(file, bytes, 0, CHUNK, end);
      // A character may be cut where the bytes end, but not where a line does.
      const whole = bytes.subarray(0, count).lastIndexOf(NEWLINE) + 1;
      if (whole === 0) return { lines, end };
      end += whole;
      lines.push(...bytes.subarray(0, whole).toString("utf8").split("\n").slice(0, -1));
    }
  } finally {
    closeSync(file);
  }
}
