import { messageOf } from "../base/errors.ts";
import { inHome } from "../disk/home.ts";
import type { Chain } from "./chain.ts";
import { isoTimes } from "./iso-times.ts";
import { type AuditFact, type AuditLine, type Marks, nextLine } from "./line.ts";
import { closeChain, openChain } from "./open-chains.ts";

interface AuditOptions {
  listener?: ((line: AuditLine) => void) | undefined;
  /** Whether hooks only monitor now. */
  monitor?(): boolean;
  /** Hooks are only tried out. */
  trial?: boolean | undefined;
  /** Hears that the log cannot be written. */
  report(problem: string): void;
}

/** Longest texts of a line, so that a line is never longer than what the chain reads back. */
const LONGEST = {
  hook: 1000,
  digest: 100,
  event: 64,
  capability: 128,
  value: 2000,
  grant: 2000,
  policy: 500,
  code: 64,
  wanted: 1000,
  outcome: 200,
} as const satisfies Record<keyof AuditFact, number>;
const SHORTEST = Math.min(...Object.values(LONGEST));

/**
 * The record of loads, denials, uses of powers, verdicts and kills: files in `<home>/audit`, each line chained to the one
 * before by its hash, and the chains to each other. It shows edits by anyone who cannot rewrite the whole log.
 */
export class Audit {
  readonly #folder: string;
  readonly #options: AuditOptions;
  #chain: Chain | undefined;
  readonly #timeOf = isoTimes();
  #broken = false;

  constructor(home: string, options: AuditOptions) {
    this.#folder = inHome(home, "audit");
    this.#options = options;
  }

  /**
   * Writes lines, before their outcomes are used. False if the log cannot be written, which is reported once: then no power
   * may be used.
   */
  write(...facts: readonly AuditFact[]): boolean {
    return this.#write(facts, this.#options.trial ? { trial: true } : undefined);
  }

  /** Writes what holds for longer than this session, and is no trial. */
  writeLasting(...facts: readonly AuditFact[]): boolean {
    return this.#write(facts, undefined);
  }

  #write(facts: readonly AuditFact[], kind: Marks | undefined): boolean {
    const time = this.#timeOf(Date.now());
    const { listener, monitor, report } = this.#options;
    const mode: Marks | undefined = monitor?.() ? { monitor: true, ...kind } : kind;
    const told = listener && ([] as AuditLine[]);
    let isWritten = true;
    try {
      this.#chain ??= openChain(this.#folder);
      this.#chain.append(time.slice(0, 10), (before) => {
        let text = "";
        let head = before;
        for (const fact of facts) {
          const short = mode ? { ...shortened(fact), ...mode } : shortened(fact);
          const { seq, prev } = head;
          told?.push({ seq: seq + 1, time, ...short, prev });
          const next = nextLine(head, time, short);
          text += next.text;
          head = next.head;
        }
        return { text, head };
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
    if (this.#chain) closeChain(this.#folder);
    this.#chain = undefined;
  }
}

/** The fact with texts that a line has room for. */
function shortened(fact: AuditFact): AuditFact {
  let short = fact;
  for (const name in fact) {
    const text = fact[name as keyof AuditFact];
    if (text === undefined || text.length <= SHORTEST) continue;
    const most = LONGEST[name as keyof AuditFact];
    if (text.length > most) short = { ...short, [name]: text.slice(0, most).toWellFormed() };
  }
  return short;
}
