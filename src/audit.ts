import { hash } from "node:crypto";
import { join } from "node:path";
import { AuditChain, type Head } from "./audit-chain.ts";
import { messageOf } from "./errors.ts";

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

/** Lines as they will stand in the log, if nothing else comes before them. */
export interface Draft {
  readonly lines: readonly AuditLine[];
  readonly bytes: Buffer;
  readonly day: string;
  readonly after: Head;
  readonly last: Head;
  readonly made: number;
}

/** A draft says when it was made: an older one is made anew. */
const MAX_DRAFT_MS = 5;

/**
 * The record of loads, denials, uses of powers, verdicts and kills: `<home>/audit/YYYY-MM-DD.jsonl`, each line chained
 * to the one before by its hash. It shows edits by anyone who cannot rewrite the whole log.
 */
export class Audit {
  readonly #folder: string;
  readonly #listener: ((line: AuditLine) => void) | undefined;
  readonly #report: (problem: string) => void;
  #chain: AuditChain | undefined;
  #broken = false;

  constructor(home: string, listener: ((line: AuditLine) => void) | undefined, report: (problem: string) => void) {
    this.#folder = join(home, "audit");
    this.#listener = listener;
    this.#report = report;
  }

  /** Makes the lines of these facts before it is sure that they will be written, in time that is left over. */
  draft(facts: readonly AuditFact[]): Draft | undefined {
    try {
      return this.#draft(facts);
    } catch {
      // Said when the lines are to be written.
      return undefined;
    }
  }

  /**
   * Written before the outcome is used. False if the log cannot be written, which is reported once: what needs a power must
   * not be done then.
   */
  write(fact: AuditFact): boolean {
    return this.writeAll([fact]);
  }

  /** The same for several at once. `draft`: of the same facts. */
  writeAll(facts: readonly AuditFact[], draft?: Draft): boolean {
    let drafted = draft && performance.now() - draft.made < MAX_DRAFT_MS ? draft : undefined;
    let written = true;
    try {
      drafted ??= this.#draft(facts);
      while (!this.#opened().append(drafted.day, drafted.after, drafted.bytes, drafted.last))
        drafted = this.#draft(facts);
      this.#broken = false;
    } catch (error) {
      written = false;
      if (!this.#broken) this.#report(`the audit log cannot be written, so no power is used: ${messageOf(error)}`);
      this.#broken = true;
    }
    if (this.#listener) {
      const unwritten = { seq: 0, time: new Date().toISOString(), prev: "" };
      for (const line of drafted?.lines ?? facts.map((fact) => ({ ...fact, ...unwritten }))) this.#listener(line);
    }
    return written;
  }

  #draft(facts: readonly AuditFact[]): Draft {
    const time = new Date().toISOString();
    const day = time.slice(0, 10);
    const after = this.#opened().head(day);
    let { seq, prev } = after;
    let text = "";
    const lines = facts.map((fact) => {
      const value = fact.value ? { value: fact.value.slice(0, MAX_VALUE) } : {};
      const line: AuditLine = { seq: ++seq, time, ...fact, ...value, prev };
      const one = JSON.stringify(line);
      prev = hash("sha256", one);
      text += `${one}\n`;
      return line;
    });
    return { lines, bytes: Buffer.from(text), day, after, last: { seq, prev }, made: performance.now() };
  }

  #opened(): AuditChain {
    this.#chain ??= AuditChain.open(this.#folder);
    return this.#chain;
  }

  /** Lets other hosts write, and leaves no file open. */
  close(): void {
    this.#chain?.close();
    this.#chain = undefined;
  }
}
