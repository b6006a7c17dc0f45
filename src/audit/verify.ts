import { hash } from "node:crypto";
import { join } from "node:path";
import { counted } from "../base/counted.ts";
import { type AuditLine, EMPTY, headAfter, parseLine } from "./line.ts";
import { auditFiles, type LogFile, lastLine, SHARED } from "./log-files.ts";
import { filesByDay, linesOf, merged } from "./read.ts";
import { isStatement, type Statement, statementIn } from "./statement.ts";

/** A line of the log, and its position. */
export interface Standing {
  /** `undefined` where there is none: what was not written whole, or is gone. */
  line?: AuditLine;
  /** `2026-01-31.jsonl:12` */
  at: string;
  /** The id of its chain. */
  chain: string;
  /** SHA-256 of the line as it is written: what the next line has as `prev`. */
  hash: string;
  /** Why it does not follow the line before it, if so. */
  fault?: string;
  /** What a person may want to know, and what is no fault. */
  note?: string;
}

/** What another chain says about a line of this one: its hash, and where that stands. */
interface Witness {
  hash: string;
  at: string;
}

/** A chain while it is read. */
interface Reading {
  id: string;
  /** What other chains say, by the number of the line. */
  witnesses: Map<number, Witness[]>;
  /** Whether the shared chain says that it began. */
  isBegun: boolean;
  /** The number of its last line, if the shared chain says that it ended. */
  end: number | undefined;
  before: { seq: number; hash: string; at: string } | undefined;
  /** Why the next line cannot follow. */
  damage: string | undefined;
}

/**
 * Reads a log from its first line to its last, by time, and checks that each line follows the one before in its chain: that it
 * has the next number, and that its `prev` is the hash of the line before. Each chain has to be what other chains say of it:
 * begun by the shared one, with the lines that were seen there, and not longer than its end.
 *
 * @param from a day, as `2026-01-31`: the files of the days before are not read, but for the last line of each chain
 */
export async function* verifyAudit(folder: string, from = ""): AsyncGenerator<Standing> {
  const readings = await readingsOf(folder, from);
  for (const files of filesByDay(folder).filter(([first]) => first !== undefined && first.day >= from))
    yield* merged(
      files.map((file) => standingsOf(folder, file, readingOf(readings, file.chain))),
      ({ line, at }) => line?.time ?? at.slice(0, 10),
    );
  for (const reading of readings.values()) yield* endOf(reading);
}

function readingOf(readings: Map<string, Reading>, id: string): Reading {
  const known = readings.get(id);
  if (known) return known;
  const fresh = { id, witnesses: new Map(), isBegun: false, end: undefined, before: undefined, damage: undefined };
  readings.set(id, fresh);
  return fresh;
}

/** What the chains say of each other, and where each ended before the first day that is read. */
async function readingsOf(folder: string, from: string): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>();
  const files = auditFiles(folder);
  for (const { name, chain } of files.filter(({ day }) => day < from).reverse()) {
    if (readings.get(chain)?.before) continue;
    const last = lastLine(join(folder, name));
    if (last === "") continue;
    const { seq, prev } = headAfter(last);
    readingOf(readings, chain).before = { seq, hash: prev, at: `the end of ${name}` };
  }
  for (const { name, chain } of files.filter(({ day }) => day >= from))
    for await (const { text, number } of linesOf(join(folder, name))) {
      const line = text.includes('"event":"chain"') ? parseLine(text) : undefined;
      const statement = line && statementOf(line, chain);
      if (!statement) continue;
      const { about, head, outcome } = statement;
      const reading = readingOf(readings, about);
      if (about !== SHARED && outcome === "begin") reading.isBegun = true;
      if (outcome === "end") reading.end = Math.min(head.seq, reading.end ?? head.seq);
      const told = reading.witnesses.get(head.seq) ?? [];
      if (!told.some((one) => one.hash === head.prev)) told.push({ hash: head.prev, at: `${name}:${number}` });
      reading.witnesses.set(head.seq, told);
    }
  return readings;
}

/** The shared chain speaks of all others, and they of it alone. */
function statementOf(line: AuditLine, chain: string): Statement | undefined {
  const statement = statementIn(line);
  return statement && (chain === SHARED) === (statement.about !== SHARED) ? statement : undefined;
}

async function* standingsOf(folder: string, { name, chain }: LogFile, reading: Reading): AsyncGenerator<Standing> {
  for await (const { text, number, isTorn } of linesOf(join(folder, name))) {
    const at = `${name}:${number}`;
    const line = parseLine(text);
    if (line) {
      const own = hash("sha256", text);
      const fault = reading.damage ?? orderFault(line, reading) ?? witnessFault(line, own, chain, reading);
      reading.damage = undefined;
      reading.before = { seq: line.seq, hash: own, at };
      yield { line, at, chain, hash: own, ...(fault === undefined ? {} : { fault }) };
    } else if (isTorn) yield { at, chain, hash: "", note: "this line was not written whole, so it never counted" };
    else reading.damage ??= `${at} is no line of the log`;
  }
}

/** Why a line does not follow the one before it, if so. */
function orderFault(line: AuditLine, { before }: Reading): string | undefined {
  const isFirst = line.seq === 1 && line.prev === EMPTY.prev;
  if (!before) return isFirst ? undefined : `the log begins at number ${line.seq}: what was before is gone`;
  if (line.seq !== before.seq + 1) return `number ${line.seq} follows number ${before.seq}`;
  return line.prev === before.hash ? undefined : `${before.at} is not what it was when this line was written`;
}

/** Why a line is not what other chains say, if so. */
function witnessFault(line: AuditLine, own: string, chain: string, reading: Reading): string | undefined {
  const { id, before, isBegun, end, witnesses } = reading;
  if (isStatement(line) && !statementOf(line, chain)) return "no chain says such a thing";
  // A process may die right after the first line of its chain.
  if (id !== SHARED && !isBegun && before?.seq === 1) return `the shared chain does not say that chain ${id} began`;
  if (end !== undefined && before?.seq === end) return `chain ${id} goes on after its end`;
  const other = witnesses.get(line.seq)?.find(({ hash }) => hash !== own);
  return other && `number ${line.seq} is not the line that is named at ${other.at}`;
}

/** What is missing at the end of a chain. */
function* endOf({ id, witnesses, before, damage }: Reading): Generator<Standing> {
  const hashed = before?.hash ?? EMPTY.prev;
  const last = before?.seq ?? 0;
  if (damage !== undefined) yield { at: "the end", chain: id, hash: hashed, fault: damage };
  const [newest] = [...witnesses.keys()].sort((a, b) => b - a);
  if (newest === undefined || newest <= last) return;
  const at = witnesses.get(newest)?.[0]?.at as string;
  const name = id === SHARED ? "the shared chain" : `chain ${id}`;
  const fault =
    last === 0
      ? `${name} is gone: it had ${counted(newest, "line")}`
      : `${name} ends at number ${last}: it had ${counted(newest, "line")}, and the rest is gone`;
  yield { at, chain: id, hash: hashed, fault };
}
