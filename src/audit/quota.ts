import type { AuditFact } from "./audit.ts";

const WINDOW_MS = 60_000;

/** Refusals that one hook may add to the record in a minute, in bytes as they are about written. Uses have a rate of their own. */
const MAX_BYTES_PER_WINDOW = 256 * 1024;
/** What stands around the texts of a line. */
const LINE_BYTES = 320;

/** Different refusals that are told apart in one window. */
const MAX_KEYS = 500;

interface Window {
  since: number;
  bytes: number;
  /** How often each refusal came again after its first line. */
  readonly repeats: Map<string, { fact: AuditFact; count: number }>;
  /** Refusals that were too many to be told apart. */
  others: number;
}

/**
 * What hooks do by themselves, as often as they like, in bounds: a refusal that comes again is counted, and its count stands
 * on one line once the minute is over; and each hook has so many bytes of lines.
 */
export class AuditQuota {
  readonly #windows = new Map<string, Window>();
  readonly #write: (...facts: AuditFact[]) => unknown;

  constructor(write: (...facts: AuditFact[]) => unknown) {
    this.#write = write;
  }

  /** Keeps a refusal: the first of its kind at once, the others as a count. */
  refused(fact: AuditFact, now = performance.now()): void {
    const window = this.#window(fact.hook, now);
    const key = JSON.stringify([fact.event, fact.capability, fact.value, fact.outcome]);
    const known = window.repeats.get(key);
    if (known) known.count++;
    else if (window.repeats.size >= MAX_KEYS || !this.#fits(window, fact)) window.others++;
    else {
      window.repeats.set(key, { fact, count: 0 });
      this.#write(fact);
    }
  }

  /** Writes what is counted so far. */
  close(): void {
    for (const hook of [...this.#windows.keys()]) this.#end(hook);
  }

  #fits(window: Window, fact: AuditFact): boolean {
    const bytes = LINE_BYTES + Buffer.byteLength(`${fact.hook}${fact.capability ?? ""}${fact.value ?? ""}`);
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
    const again = lines.map(({ fact, count }) => ({ ...fact, outcome: `${fact.outcome} (${count} times more)` }));
    const others = { hook, capability: "", value: "", outcome: `NOT_GRANTED (${window.others} more, of many kinds)` };
    if (again.length > 0 || window.others > 0) this.#write(...again, ...(window.others > 0 ? [others] : []));
  }
}
