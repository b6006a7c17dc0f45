import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, writeSync } from "node:fs";
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

  constructor(home: string, listener: ((line: AuditLine) => void) | undefined, report: (problem: string) => void) {
    this.#folder = join(home, "audit");
    this.#listener = listener;
    this.#report = report;
  }

  /** Written before the outcome is used. A log that cannot be written is reported once. */
  write(fact: AuditFact): void {
    const time = new Date().toISOString();
    const path = join(this.#folder, `${time.slice(0, 10)}.jsonl`);
    const value = fact.value ? { value: fact.value.slice(0, MAX_VALUE) } : {};
    let line: AuditLine = { seq: 0, time, ...fact, ...value, prev: "" };
    try {
      // Other hosts write into the same chain: what stands last is read under the lock.
      withLock(join(this.#folder, "chain"), () => {
        const { seq, prev } = this.#head();
        line = { ...line, seq: seq + 1, prev };
        append(path, `${JSON.stringify(line)}\n`);
      });
    } catch (error) {
      if (!this.#broken) this.#report(`the audit log cannot be written: ${messageOf(error)}`);
      this.#broken = true;
    }
    this.#listener?.(line);
  }

  #head(): { seq: number; prev: string } {
    const files = readdirSync(this.#folder).filter((name) => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name));
    const newest = files.sort().at(-1);
    const last = newest === undefined ? undefined : lastLine(join(this.#folder, newest));
    if (last === undefined) return { seq: 0, prev: sha256("") };
    try {
      const { seq } = JSON.parse(last) as AuditLine;
      return { seq: Number.isSafeInteger(seq) ? seq : 0, prev: sha256(last) };
    } catch {
      return { seq: 0, prev: sha256(last) };
    }
  }
}

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

function append(path: string, text: string): void {
  withRegularFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, (file) => writeSync(file, text));
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
