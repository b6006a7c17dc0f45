import { hash } from "node:crypto";
import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import { AuditChain } from "./chain.ts";

/** What is written about an act of a hook, or about the hook. */
export interface AuditFact {
  hook: string;
  digest?: string;
  event?: string;
  capability?: string;
  value?: string;
  outcome: string;
}

export interface AuditLine extends AuditFact {
  /** Hooks only monitored then. */
  monitor?: true;
  seq: number;
  time: string;
  /** SHA-256 of the line before, in hexadecimal; of nothing for the first. */
  prev: string;
}

interface AuditOptions {
  listener?: ((line: AuditLine) => void) | undefined;
  /** Whether hooks only monitor now. */
  monitor?(): boolean;
  /** Hears that the log cannot be written. */
  report(problem: string): void;
}

/** Longest texts of a line, so that a line is never longer than what the chain reads back. */
const LONGEST = [
  ["hook", 1000],
  ["digest", 100],
  ["event", 64],
  ["capability", 128],
  ["value", 2000],
  ["outcome", 200],
] as const;

/**
 * The record of loads, denials, uses of powers, verdicts and kills: `<home>/audit/YYYY-MM-DD.jsonl`, each line chained
 * to the one before by its hash. It shows edits by anyone who cannot rewrite the whole log.
 */
export class Audit {
  readonly #folder: string;
  readonly #options: AuditOptions;
  #chain: AuditChain | undefined;
  /** The time as text, made once per millisecond. */
  #time = { ms: 0, text: "" };
  #broken = false;

  constructor(home: string, options: AuditOptions) {
    this.#folder = join(home, "audit");
    this.#options = options;
  }

  /**
   * Writes lines, before their outcomes are used. False if the log cannot be written, which is reported once: then no power
   * may be used.
   */
  write(...facts: readonly AuditFact[]): boolean {
    const ms = Date.now();
    if (ms !== this.#time.ms) this.#time = { ms, text: new Date(ms).toISOString() };
    const time = this.#time.text;
    const { listener, monitor, report } = this.#options;
    const mode = monitor?.() ? ({ monitor: true } as const) : undefined;
    const told = listener && ([] as AuditLine[]);
    let isWritten = true;
    try {
      this.#chain ??= AuditChain.open(this.#folder);
      this.#chain.append(time.slice(0, 10), ({ seq, prev }) => {
        let text = "";
        for (const fact of facts) {
          const short = mode ? { ...shortened(fact), ...mode } : shortened(fact);
          seq++;
          told?.push({ seq, time, ...short, prev });
          // As JSON of that line: an object of each line would cost more than its text.
          const line = `{"seq":${seq},"time":"${time}",${JSON.stringify(short).slice(1, -1)},"prev":"${prev}"}`;
          prev = hash("sha256", line);
          text += `${line}\n`;
        }
        return { text, head: { seq, prev } };
      });
      this.#broken = false;
    } catch (error) {
      isWritten = false;
      if (!this.#broken) report(`the audit log cannot be written, so no power is used: ${messageOf(error)}`);
      this.#broken = true;
    }
    if (listener)
      for (const line of isWritten
        ? (told ?? [])
        : facts.map((fact) => ({ seq: 0, time, ...shortened(fact), ...mode, prev: "" })))
        listener(line);
    return isWritten;
  }

  /** Releases the log to other hosts, and closes its files. */
  close(): void {
    this.#chain?.close();
    this.#chain = undefined;
  }
}

/** The fact with texts that a line has room for. */
function shortened(fact: AuditFact): AuditFact {
  let short = fact;
  for (const [name, most] of LONGEST) {
    const text = fact[name];
    if (text !== undefined && text.length > most) short = { ...short, [name]: text.slice(0, most).toWellFormed() };
  }
  return short;
}
