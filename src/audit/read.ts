import { closeSync, constants, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { type AuditLine, MAX_LINE, parseLine } from "./line.ts";
import { auditFiles, type LogFile, openLog } from "./log-files.ts";
import { isStatement } from "./statement.ts";

/** Bytes that are read at once. */
const CHUNK = 64 * 1024;

const NEWLINE = 10;

/** A text between two line breaks of a file. */
export interface TextLine {
  text: string;
  /** Its number in the file. */
  number: number;
  /** No line break follows it. */
  isTorn?: true;
}

/**
 * The lines of a file. Only a newline ends a line: a value may contain characters that other readers take for the end of a line.
 * A line that is longer than any that Cordon writes comes as an empty one. The file is open only while it is read: a log may
 * have more files than a process may open.
 */
export async function* linesOf(path: string): AsyncGenerator<TextLine> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  let number = 0;
  for (let at = 0; ; ) {
    const chunk = chunkAt(path, at);
    if (chunk.length === 0) break;
    at += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([rest, chunk.subarray(start, end)]).toString("utf8");
      yield { text: isTooLong || line.length > MAX_LINE ? "" : line, number: ++number };
      rest = Buffer.alloc(0);
      isTooLong = false;
      start = end + 1;
    }
    // Of the start of a line that is too long already, nothing is kept.
    isTooLong ||= rest.length + chunk.length - start > 4 * MAX_LINE;
    rest = isTooLong ? Buffer.alloc(0) : Buffer.concat([rest, chunk.subarray(start)]);
    await pause();
  }
  const torn = rest.toString("utf8");
  if (isTooLong || torn.length > MAX_LINE) yield { text: "", number: ++number };
  else if (torn !== "") yield { text: torn, number: ++number, isTorn: true };
}

function chunkAt(path: string, at: number): Buffer {
  const file = openLog(path, constants.O_RDONLY);
  try {
    const bytes = Buffer.alloc(CHUNK);
    return bytes.subarray(0, readSync(file, bytes, 0, CHUNK, at));
  } finally {
    closeSync(file);
  }
}

/** What stands next in a file, and when it was written. */
interface Cursor<Item> {
  next: Item;
  time: string;
  rest: AsyncGenerator<Item>;
}

/**
 * Merges what several files of a day say, by time; what is of the same time stays in the order of the files.
 *
 * @param timeOf when it was written
 */
export async function* merged<Item>(
  sources: readonly AsyncGenerator<Item>[],
  timeOf: (item: Item) => string,
): AsyncGenerator<Item> {
  const cursors: Cursor<Item>[] = [];
  const place = (cursor: Cursor<Item>, isNew: boolean): void => {
    let [low, high] = [0, cursors.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { time } = cursors[middle] as Cursor<Item>;
      if (time < cursor.time || (isNew && time === cursor.time)) low = middle + 1;
      else high = middle;
    }
    cursors.splice(low, 0, cursor);
  };
  const advance = async (rest: AsyncGenerator<Item>, isNew: boolean): Promise<void> => {
    const { value, done } = await rest.next();
    if (!done) place({ next: value, time: timeOf(value), rest }, isNew);
  };
  for (const source of sources) await advance(source, true);
  for (let first = cursors.shift(); first; first = cursors.shift()) {
    yield first.next;
    await advance(first.rest, false);
  }
}

/** The files of each day, in order. */
export function filesByDay(folder: string): LogFile[][] {
  return [...Map.groupBy(auditFiles(folder), ({ day }) => day).values()];
}

/** What a log says, in the order of time, without what its chains say of each other and without checking anything. */
export async function* readAudit(folder: string): AsyncGenerator<AuditLine> {
  for await (const { line } of readChains(folder)) yield line;
}

/** The same, and which chain says it. */
export async function* readChains(folder: string): AsyncGenerator<{ line: AuditLine; chain: string }> {
  for (const files of filesByDay(folder))
    yield* merged(
      files.map((file) => factsOf(folder, file)),
      ({ line }) => line.time,
    );
}

async function* factsOf(folder: string, { name, chain }: LogFile): AsyncGenerator<{ line: AuditLine; chain: string }> {
  for await (const { text } of linesOf(join(folder, name))) {
    const line = parseLine(text);
    if (line && !isStatement(line)) yield { line, chain };
  }
}
