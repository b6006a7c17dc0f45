import { existsSync } from "node:fs";
import { addTo, type History, newHistory } from "../audit/history.ts";
import { type AuditLine, DECISION, EMPTY } from "../audit/line.ts";
import { SHARED } from "../audit/log-files.ts";
import { runningChains } from "../audit/own-chain.ts";
import { isStatement } from "../audit/statement.ts";
import { verifyAudit } from "../audit/verify.ts";
import { messageOf } from "../base/errors.ts";
import { inHome } from "../disk/home.ts";
import { POWERS } from "../powers/powers.ts";
import { type Deed, deedOf, lacksSandbox, powerOf, timesOf } from "./deed.ts";
import { addEntries, type EntryUses } from "./entry-uses.ts";
import type { SeenLine } from "./last-report.ts";
import { MAX_DECISIONS, MAX_ENTRIES, MAX_KINDS, MAX_RECORDED_HOOKS, MAX_VALUE } from "./limits.ts";
import { type OverTime, Periods } from "./periods.ts";
import type { Refused } from "./refusal.ts";
import { type Session, Sessions } from "./sessions.ts";

/** What a hook did with one power, in the period of the report. */
interface Use {
  used: number;
  refused: number;
  /** Operations that were used, and on what: how often. */
  operations: Map<string, number>;
  /** Values that were refused. */
  refusals: Map<string, Refused>;
}

/** What the record says about one hook. */
export interface Recorded {
  /** Of the whole record. */
  history: History;
  /** When it was last recorded, and when it last used each power. */
  last: string;
  lastUses: Map<string, string>;
  /** For each power the entries of grants that were used, by their text, and uses of which the entry is not known. */
  entries: Map<string, EntryUses>;
  /** As the latest line says it. */
  digest?: string;
  /** Its latest load. */
  loaded?: AuditLine;
  /** In the period: how often each happened, and the use of powers. */
  deeds: Map<Deed, number>;
  uses: Map<string, Use>;
  crashes: number;
  /** How often it was loaded without a sandbox. */
  unsandboxed: number;
  /** What people decided about it, of the whole record: the newest, oldest first. */
  decisions: AuditLine[];
}

/** The record, read once from its first line to its last. */
export interface WholeRecord {
  folder: string;
  lines: number;
  /** Lines about hooks that were only tried out. Nothing else of them is told. */
  trials: number;
  /** The hash of the last line of the shared chain. Without lines, the hash of an empty text. */
  head: string;
  /** The first faults of the chains, and how many there are. */
  faults: { at: string; fault: string }[];
  faultCount: number;
  /** Why it cannot be read, if so. */
  unreadable?: string;
  /** Of the lines that reports saw, those that are not there. */
  gone: readonly SeenLine[];
  hooks: Map<string, Recorded>;
  /** Calls and results that Cordon itself blocked in the period, and why. */
  own: { blocked: number; reasons: Map<string, number>; last?: { time: string; what: string } };
  /** Lines of hooks beyond those that are counted one by one. */
  uncounted: number;
  /** In the period. */
  from?: string;
  to?: string;
  linesInPeriod: number;
  deeds: Map<Deed, number>;
  overTime: OverTime;
  sessions: Session[];
  sessionsLeftOut: number;
}

/** Keys of {@link POWERS}, and what else a person grants. Whatever else a line names counts as one. */
const KNOWN_POWERS: ReadonlySet<string> = new Set([...Object.keys(POWERS), "limits"]);
export const OTHER_POWER = "other";

/** How to read the record. `since`: ms since the epoch; `seen`: lines that should be there. */
interface Options {
  /** Hears how many lines are read. */
  told?: ((lines: number) => void) | undefined;
  since?: number | undefined;
  seen?: readonly SeenLine[];
}

export async function readRecord(home: string, { since, seen = [], told }: Options = {}): Promise<WholeRecord> {
  const reading = new Reading(inHome(home, "audit"), seen);
  try {
    if (existsSync(reading.record.folder))
      for await (const { line, at, chain, hash, fault } of verifyAudit(reading.record.folder)) {
        if (fault !== undefined) reading.fault(at, fault);
        if (!line) continue;
        reading.line(hash, chain);
        told?.(reading.record.lines);
        if (isStatement(line)) continue;
        if (line.trial === true) {
          reading.record.trials++;
          continue;
        }
        if (since === undefined || Date.parse(line.time) >= since) reading.inPeriod(at.slice(0, 10), line, chain);
        else reading.hook(line, chain);
      }
  } catch (error) {
    reading.record.unreadable = messageOf(error);
  }
  return reading.end();
}

class Reading {
  readonly record: WholeRecord;
  readonly #missing: Map<string, SeenLine>;
  readonly #running: ReadonlySet<string>;
  readonly #sessions = new Sessions();
  readonly #periods = new Periods();

  constructor(folder: string, seen: readonly SeenLine[]) {
    this.#running = runningChains(folder);
    this.#missing = new Map(seen.map((one) => [one.head, one]));
    this.record = {
      ...{
        folder,
        lines: 0,
        trials: 0,
        head: EMPTY.prev,
        faults: [],
        faultCount: 0,
        own: { blocked: 0, reasons: new Map() },
        hooks: new Map(),
        uncounted: 0,
      },
      gone: [],
      ...{ linesInPeriod: 0, deeds: new Map(), sessions: [], sessionsLeftOut: 0 },
      overTime: this.#periods.end(),
    };
  }

  fault(at: string, fault: string): void {
    if (this.record.faultCount++ < MAX_ENTRIES) this.record.faults.push({ at, fault });
  }

  line(hash: string, chain: string): void {
    this.record.lines++;
    if (chain === SHARED) this.record.head = hash;
    this.#missing.delete(hash);
  }

  inPeriod(day: string, line: AuditLine, chain: string): void {
    const { record } = this;
    record.linesInPeriod++;
    record.from ??= line.time;
    record.to = line.time;
    const deed = deedOf(line);
    const times = timesOf(line);
    add(record.deeds, deed, times);
    this.#sessions.add(line, chain);
    const power = knownPower(line);
    const count = deed === "refused" ? { used: 0, refused: times } : { used: times, refused: 0 };
    if (power !== undefined && countsAsUse(deed)) this.#periods.add(day, line.time, power, count);
    const hook = this.hook(line, chain, true);
    if (line.hook === "" && deed === "blocked") this.#blockedItself(line);
    if (!hook) return;
    add(hook.deeds, deed, times);
    if (lacksSandbox(line)) hook.unsandboxed++;
    if (line.event === "crash" && deed === "failed" && line.outcome !== "stopped") hook.crashes++;
    if (power !== undefined && countsAsUse(deed)) use(hook, power, line, count);
  }

  end(): WholeRecord {
    const { record } = this;
    record.sessions = this.#sessions.end();
    record.sessionsLeftOut = this.#sessions.leftOut;
    record.overTime = this.#periods.end();
    record.gone = [...this.#missing.values()];
    return record;
  }

  /** Of Cordon itself, the reasons why it blocked are told. */
  #blockedItself({ time, event, value = "" }: AuditLine): void {
    const { own } = this.record;
    // The tool's name is before the reason.
    const reason = event === "tool_call" ? value.replace(/^[^:]*: /, "") : value;
    own.blocked++;
    own.last = { time, what: value };
    addOne(own.reasons, reason, 1);
  }

  /** Adds what a line of any time says about its hook. Cordon itself is no hook. */
  hook(line: AuditLine, chain: string, isInPeriod = false): Recorded | undefined {
    const { hook: id, time, event } = line;
    if (id === "") return undefined;
    const { hooks } = this.record;
    const fresh = {
      history: newHistory(),
      last: time,
      lastUses: new Map(),
      entries: new Map(),
      deeds: new Map(),
      uses: new Map(),
      crashes: 0,
      unsandboxed: 0,
      decisions: [],
    };
    const hook: Recorded = hooks.get(id) ?? fresh;
    if (!hooks.has(id) && hooks.size >= MAX_RECORDED_HOOKS) {
      this.record.uncounted++;
      return undefined;
    }
    hooks.set(id, hook);
    addTo(hook.history, line, this.#running.has(chain));
    hook.last = time;
    if (line.digest !== undefined) hook.digest = line.digest;
    const deed = deedOf(line);
    if (event === DECISION && hook.decisions.push(line) > MAX_DECISIONS) hook.decisions.shift();
    if (event === "load" && deed !== "refused") hook.loaded = line;
    const power = knownPower(line);
    if (power !== undefined && countsAsUse(deed) && deed !== "refused") {
      hook.lastUses.set(power, time);
      addEntries(hook.entries, power, line, isInPeriod ? 1 : 0);
    }
    return hook;
  }
}

const countsAsUse = (deed: Deed): boolean => deed !== "decided" && deed !== "failed" && deed !== "other";

function knownPower(line: AuditLine): string | undefined {
  const power = powerOf(line);
  return power === undefined || KNOWN_POWERS.has(power) ? power : OTHER_POWER;
}

function use(
  hook: Recorded,
  power: string,
  line: AuditLine,
  { used, refused }: { used: number; refused: number },
): void {
  const known: Use = hook.uses.get(power) ?? {
    used: 0,
    refused: 0,
    operations: new Map(),
    refusals: new Map(),
  };
  hook.uses.set(power, known);
  known.used += used;
  known.refused += refused;
  const what = line.capability ?? line.event ?? power;
  if (refused > 0) addRefusal(known.refusals, [what, line.value].filter(Boolean).join(" "), line, refused);
  else addOne(known.operations, usedName(line, what), used);
}

/** What was used on what: a program, a file. Of an event, the tool that was blocked; before a reason stands its name. */
function usedName(line: AuditLine, what: string): string {
  const { capability, value = "" } = line;
  const shown = value.slice(0, MAX_VALUE);
  if (capability !== undefined) return [what, shown].filter(Boolean).join(" ");
  return deedOf(line) === "blocked" ? `${what} blocked ${shown.replace(/: .*/s, "")}` : what;
}

/** Adds a refusal. What one policy refused, and what no grant covered, are apart. */
function addRefusal(refusals: Map<string, Refused>, name: string, { policy, wanted }: AuditLine, count: number): void {
  const own = JSON.stringify([name, policy]);
  // Beyond the first values, and beyond the first policies.
  const other = JSON.stringify(["", policy]);
  const isKnown = (key: string, most: number): boolean => refusals.has(key) || refusals.size < most;
  const [key, shown] = isKnown(own, MAX_KINDS) ? [own, name] : isKnown(other, 2 * MAX_KINDS) ? [other, ""] : ["", ""];
  const before = refusals.get(key)?.count ?? 0;
  refusals.set(key, {
    ...{ name: shown, count: before + count },
    ...(policy === undefined || key === "" ? {} : { policy }),
    ...(wanted === undefined || shown === "" ? {} : { wanted }),
  });
}

export const add = <Key>(counts: Map<Key, number>, key: Key, count: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + count);

/** Adds to a map of few entries: what is beyond those is counted under an empty name. */
const addOne = (counts: Map<string, number>, key: string, count: number): void =>
  add(counts, counts.has(key) || counts.size < MAX_KINDS ? key : "", count);
