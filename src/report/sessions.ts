import { type AuditLine, DECISION } from "../audit/line.ts";
import { type Deed, deedOf, isNotable, timesOf } from "./deed.ts";
import { MAX_NOTABLE, MAX_ROUTINE, MAX_SESSIONS, MAX_TOGETHER, SILENCE_MS } from "./limits.ts";

/** Lines of a session that say the same, one after the other; of several hooks, if they let something pass or nothing came of it. */
export interface Moment {
  /** The number of its first line. */
  /** Moments of a session are in this order. */
  order: number;
  time: string;
  deed: Deed;
  /** Their ids; empty for Cordon itself. */
  hooks: string[];
  event?: string;
  capability?: string;
  value?: string;
  outcome: string;
  /** How often: of several hooks, of the one that did it most often. */
  times: number;
  /** Hooks only monitored then. */
  monitor?: true;
}

/** What was recorded between the start of an agent and its end, as far as the record tells. */
export interface Session {
  /** The agent, if it said its name. */
  agent?: string;
  from: string;
  to: string;
  /** In the order of the record. */
  moments: Moment[];
  /** How often each happened in it. */
  counts: Partial<Record<Deed, number>>;
  /** Moments that are left out above. */
  leftOut: number;
}

/** A session that is still being read. */
class Open {
  readonly first: AuditLine;
  last: AuditLine;
  agent: string | undefined;
  /** Something other than a load or a start was recorded. */
  hasBegun = false;
  readonly counts = new Map<Deed, number>();
  leftOut = 0;
  #order = 0;
  readonly #notable: Moment[] = [];
  readonly #routine: Moment[] = [];
  #latest: { moment: Moment; timesOf: Map<string, number> } | undefined;

  constructor(line: AuditLine) {
    this.first = line;
    this.last = line;
  }

  add(read: AuditLine): void {
    const line = { ...read, outcome: read.outcome.replace(/^(\w+) \(\d{1,9} times? more\)$/, "$1") };
    this.last = line;
    const deed = deedOf(line);
    const times = timesOf(read);
    this.counts.set(deed, (this.counts.get(deed) ?? 0) + times);
    if (line.event === "start") this.agent = line.value;
    else if (line.event !== "load") this.hasBegun = true;
    const latest = this.#latest;
    if (latest && saysSame(latest.moment, line, deed)) {
      const { moment, timesOf } = latest;
      const sum = (timesOf.get(line.hook) ?? 0) + times;
      if (!timesOf.has(line.hook)) moment.hooks.push(line.hook);
      timesOf.set(line.hook, sum);
      moment.times = Math.max(moment.times, sum);
      return;
    }
    const { time, hook, event, capability, value, outcome } = line;
    const moment: Moment = {
      ...{ order: this.#order++, time, deed, hooks: [hook], outcome, times },
      ...(event === undefined ? {} : { event }),
      ...(capability === undefined ? {} : { capability }),
      ...(value === undefined ? {} : { value }),
      ...(line.monitor === true ? { monitor: true } : {}),
    };
    this.#latest = { moment, timesOf: new Map([[hook, times]]) };
    const [kept, most] = isNotable(deed) ? [this.#notable, MAX_NOTABLE] : [this.#routine, MAX_ROUTINE];
    kept.push(moment);
    if (kept.length <= most) return;
    kept.shift();
    this.leftOut++;
  }

  end(): Session {
    return {
      ...(this.agent === undefined ? {} : { agent: this.agent }),
      from: this.first.time,
      to: this.last.time,
      moments: [...this.#notable, ...this.#routine].sort((a, b) => a.order - b.order),
      counts: Object.fromEntries(this.counts),
      leftOut: this.leftOut,
    };
  }
}

const saysSame = (moment: Moment, line: AuditLine, deed: Deed): boolean =>
  (moment.hooks[0] === line.hook ||
    (MANY.has(deed) && (moment.hooks.includes(line.hook) || moment.hooks.length < MAX_TOGETHER))) &&
  moment.event === line.event &&
  moment.capability === line.capability &&
  moment.value === line.value &&
  moment.outcome === line.outcome &&
  moment.monitor === (line.monitor === true ? true : undefined);

/** What several hooks do together. */
const MANY: ReadonlySet<Deed> = new Set(["passed", "other"]);

/**
 * Divides the record into sessions. It has no numbers of sessions: in what one process wrote, one begins where an agent started, where
 * hooks were loaded after something else happened, and after {@link SILENCE_MS} without a line. Agents of one process at one time are
 * one here, as those of a daemon are.
 */
export class Sessions {
  /** By the chain of their process, the one that was heard of longest ago first. */
  readonly #open = new Map<string, Open>();
  readonly #ended: Session[] = [];
  /** Sessions that are left out. */
  leftOut = 0;

  add(line: AuditLine, chain: string): void {
    const before = this.#open.get(chain);
    const open = before && !begins(line, before) ? before : new Open(line);
    if (before && open !== before) this.#end(before);
    this.#open.delete(chain);
    this.#open.set(chain, open);
    open.add(line);
    for (const [oldest, one] of this.#open) if (this.#open.size > MAX_OPEN && this.#open.delete(oldest)) this.#end(one);
  }

  /** All that were kept, the newest first. */
  end(): Session[] {
    for (const one of this.#open.values()) this.#end(one);
    this.#open.clear();
    return this.#ended.sort(byEnd).toReversed();
  }

  #end(open: Open): void {
    // Commands load hooks to look at them.
    if (!open.hasBegun) return;
    this.#ended.push(open.end());
    if (this.#ended.length <= MAX_SESSIONS) return;
    this.#ended.sort(byEnd).shift();
    this.leftOut++;
  }
}

/** Most processes whose sessions are open at once. */
const MAX_OPEN = 100;

const byEnd = (a: Session, b: Session): number => (a.to < b.to ? -1 : a.to > b.to ? 1 : 0);

/** What a load follows that begins nothing: the hook starts anew in its session. */
const RESTARTS: ReadonlySet<string | undefined> = new Set([DECISION, "crash", "grant", "enable", "disable"]);

const begins = ({ event, time }: AuditLine, { last, hasBegun }: Open): boolean =>
  (event === "start" && hasBegun) ||
  (event === "load" && hasBegun && !RESTARTS.has(last.event)) ||
  Date.parse(time) - Date.parse(last.time) > SILENCE_MS;
