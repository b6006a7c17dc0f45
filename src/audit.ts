import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { sha256 } from "./build/digest.ts";
import { messageOf } from "./errors.ts";
import { withLock } from "./lock-file.ts";

/** What is told about one act of a hook's, or about it. */
export interface AuditFact {
  hook: string;
  digest?: string;
  event?: string;
  capability?: string;
  value?: string;
  outcome: string;
}

export interface AuditLine extends AuditFact {
  seq: number;
  time: string;
  /** SHA-256 of the line before, in hexadecimal; of nothing for the first. */
  prev: string;
}

/** Longest value that is kept of what a hook asked for. */
const MAX_VALUE = 2000;

/**
 * The record of loads, denials, uses of powers, verdicts and kills: `<home>/audit/YYYY-MM-DD.jsonl`, each line chained
 * to the one before by its hash. It shows edits by anyone who cannot rewrite the whole log.
 */
export class Audit {
  readonly #folder: string;
  readonly #listener: ((line: AuditLine) => void) | undefined;
  readonly #report: (problem: string) => void;
  #broken = false;
  #last: { path: string; size: number; seq: number; prev: string } | undefined;

  constructor(home: string, listener: ((line: AuditLine) => void) | undefined, report: (problem: string) => void) {
    this.#folder = join(home, "audit");
    this.#listener = listener;
    this.#report = report;
  }

  /**
   * Written before the outcome is used. False if the log cannot be written, which is reported once: what needs a power must
   * not be done then.
   */
  write(fact: AuditFact): boolean {
    const time = new Date().toISOString();
    const path = join(this.#folder, `${time.slice(0, 10)}.jsonl`);
    const value = fact.value ? { value: fact.value.slice(0, MAX_VALUE) } : {};
    let line: AuditLine = { seq: 0, time, ...fact, ...value, prev: "" };
    let written = true;
    try {
      // Other hosts write into the same chain: what stands last is looked at under the lock.
      withLock(join(this.#folder, "chain"), () => {
        const { seq, prev } = this.#head(path);
        line = { ...line, seq: seq + 1, prev };
        const text = JSON.stringify(line);
        this.#last = { path, size: append(path, `${text}\n`), seq: line.seq, prev: sha256(text) };
      });
      this.#broken = false;
    } catch (error) {
      written = false;
      if (!this.#broken) this.#report(`the audit log cannot be written, so no power is used: ${messageOf(error)}`);
      this.#broken = true;
    }
    this.#listener?.(line);
    return written;
  }

  /** The line that the next one follows: this host's own last one, unless another has written since. */
  #head(path: string): { seq: number; prev: string } {
    const last = this.#last;
    if (last?.path === path && statSync(path, { throwIfNoEntry: false })?.size === last.size) return last;
    const newest = auditFiles(this.#folder).at(-1);
    const text = newest === undefined ? undefined : lastLine(join(this.#folder, newest));
    if (text === undefined) return { seq: 0, prev: sha256("") };
    try {
      const { seq } = JSON.parse(text) as AuditLine;
      return { seq: Number.isSafeInteger(seq) ? seq : 0, prev: sha256(text) };
    } catch {
      return { seq: 0, prev: sha256(text) };
    }
  }
}

/** The files of a log in order, a day each. */
export const auditFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name))
    .sort();

/** Longest line: a value of {@link MAX_VALUE} and what stands around it, escaped. */
const MAX_LINE = 64 * 1024;

function lastLine(path: string): string | undefined {
  return withRegularFile(path, constants.O_RDONLY, (file, size) => {
    const length = Math.min(size, MAX_LINE);
    const tail = Buffer.alloc(length);
    readSync(file, tail, 0, length, size - length);
    return tail.toString("utf8").trimEnd().split("\n").at(-1) || undefined;
  });
}

/** Returns the size of the file then. A line that does not fit on the disk leaves no part of it behind. */
function append(path: string, text: string): number {
  return withRegularFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, (file, size) => {
    const bytes = Buffer.from(text);
    try {
      if (writeSync(file, bytes) !== bytes.length) throw new Error("no space left");
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
    return size + bytes.length;
  });
}

/** A pipe or a link in the log's place would block the agent, or write elsewhere. */
function withRegularFile<T>(path: string, flags: number, act: (file: number, size: number) => T): T {
  const file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error(`${path}: not a regular file`);
    return act(file, status.size);
  } finally {
    closeSync(file);
  }
}
