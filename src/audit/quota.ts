import { counted } from "../base/counted.ts";
import type { AuditFact } from "./line.ts";

const WINDOW_MS = 60_000;

/** Most bytes of refusals that one hook may add to the log in a minute, estimated. Uses have a rate limit of their own. */
const MAX_BYTES_PER_WINDOW = 256 * 1024;
/** Bytes of a line beside its texts. */
const LINE_BYTES = 320;

/** Most different refusals that are counted separately in one window. */
const MAX_KEYS = 500;

interface Window {
  since: number;
  bytes: number;
  /** How often each refusal was repeated after its first line. */
  readonly repeats: Map<string, { fact: AuditFact; count: number }>;
  /** Refusals that were not counted separately. */
  others: number;
}

/** An outcome without the count of what was repeated. */
export const withoutCount = (outcome: string): string =>
  outcome.replace(/ \(\d{1,9} (?:times? more|more, of many kinds)\)$/, "");

/**
 * Limits the lines that hooks can cause as often as they like. A repeated refusal is counted, and its count is written on
 * one line when the minute is over. The lines of each hook are limited in bytes.
 */
export class AuditQuota {
  readonly #windows = new Map<string, Window>();
  readonly #write: (...facts: AuditFact[]) => unknown;

  constructor(write: (...facts: AuditFact[]) => unknown) {
    this.#write = write;
  }

  /** Writes the first refusal of its kind at once, and counts the others. */
  refused(fact: AuditFact, now = performance.now()): void {
    const window = this.#window(fact.hook, now);
    const key = JSON.stringify([fact.event, fact.capability, fact.value, fact.policy, fact.outcome]);
    const known = window.repeats.get(key);
    if (known) known.count++;
    else if (window.repeats.size >= MAX_KEYS || !this.#fits(window, fact)) window.others++;
    else {
      window.repeats.set(key, { fact, count: 0 });
      this.#write(fact);
    }
  }

  /** Writes the counts so far. */
  close(): void {
    for (const hook of [...this.#windows.keys()]) this.#end(hook);
  }

  #fits(window: Window, fact: AuditFact): boolean {
    const bytes =
      LINE_BYTES + Buffer.byteLength(`${fact.hook}${fact.capability ?? ""}${fact.value ?? ""}${fact.wanted ?? ""}`);
    if (window.bytes + bytes > MAX_BYTES_PER_WINDOW) return false;
    window.bytes += bytes;
    return true;
  }

  #window(hook: string, now: number): Window {
    const window = this.#windows.get(hook);
    if (window && now - window.since < WINDOW_MS) return window;
    this.#end(hook);
    const next: Window = { since: now, bytes: 0, repeats: new Map(), others: 0 };
    this.#windows.set(hook, next);
    return next;
  }

  #end(hook: string): void {
    const window = this.#windows.get(hook);
    this.#windows.delete(hook);
    if (!window) return;
    const lines = [...window.repeats.values()].filter(({ count }) => count > 0);
    const again = lines.map(({ fact, count }) => ({
      ...fact,
      outcome: `${fact.outcome} (${counted(count, "time")} more)`,
    }));
    const others = { hook, capability: "", value: "", outcome: `NOT_GRANTED (${window.others} more, of many kinds)` };
    if (again.length > 0 || window.others > 0) this.#write(...again, ...(window.others > 0 ? [others] : []));
  }
}
