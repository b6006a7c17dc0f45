import type { AuditLine } from "../audit/line.ts";
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
 * Divides the record into sessions. It has no numbers of sessions: one begins where an agent started, where hooks were loaded
 * after something else happened, and after {@link SILENCE_MS} without a line. Sessions of two agents at one time are one here.
 */
export class Sessions {
  #open: Open | undefined;
  readonly #ended: Session[] = [];
  /** Sessions that are left out. */
  leftOut = 0;

  add(line: AuditLine): void {
    const open = this.#open;
    if (open && begins(line, open)) this.#end();
    this.#open ??= new Open(line);
    this.#open.add(line);
  }

  /** All that were kept, the newest first. */
  end(): Session[] {
    this.#end();
    return this.#ended.toReversed();
  }

  #end(): void {
    const open = this.#open;
    this.#open = undefined;
    // Commands load hooks to look at them.
    if (!open?.hasBegun) return;
    this.#ended.push(open.end());
    if (this.#ended.length <= MAX_SESSIONS) return;
    this.#ended.shift();
    this.leftOut++;
  }
}

const begins = ({ event, time }: AuditLine, { last, hasBegun }: Open): boolean =>
  (event === "start" && hasBegun) ||
  (event === "load" && hasBegun && last.event !== "crash") ||
  Date.parse(time) - Date.parse(last.time) > SILENCE_MS;
