import { counted } from "../base/counted.ts";
import type { Policy } from "../grants/policy.ts";
import { lackingRequired } from "../session/required.ts";
import { type Changes, changesSince, shownHook } from "./changes.ts";
import type { Deed } from "./deed.ts";
import { candidateOf, describeHook, type FoundHook, listOf, recordedHook } from "./describe-hook.ts";
import type { Trouble } from "./finding.ts";
import type { ReportedHook } from "./hook.ts";
import { type LastReport, readLastReport, type SeenLine, seenLines } from "./last-report.ts";
import { MAX_ENTRIES, MAX_HOOKS } from "./limits.ts";
import type { OverTime } from "./periods.ts";
import { add, readRecord, type WholeRecord } from "./record.ts";
import type { Session } from "./sessions.ts";
import { troublesOf } from "./trouble.ts";

/** All that the page shows. */
export interface Report {
  /** When it was made. */
  time: string;
  home: string;
  /** From when on the record counts, if not from its start. */
  since?: string;
  summary: {
    hooks: number;
    /** Answers to events, and what they said. */
    answers: number;
    blocked: number;
    changed: number;
    monitored: number;
    used: number;
    refused: number;
    crashes: number;
  };
  troubles: Trouble[];
  /** `undefined`: this is the first report. */
  changes?: Changes;
  hooks: ReportedHook[];
  /** What Cordon blocked itself: calls that no hook could judge. An empty name stands for all further reasons. */
  own: { blocked: number; reasons: { name: string; count: number }[]; last?: { time: string; what: string } };
  sessions: Session[];
  overTime: OverTime;
  record: {
    folder: string;
    lines: number;
    /** Lines about hooks that were only tried out, with `cordon run` and the like: nothing else of the report counts them. */
    trials: number;
    /** Lines of the period, and the times of the first and last of them. */
    linesInPeriod: number;
    from?: string;
    to?: string;
    head: string;
    verifies: boolean;
    faults: { at: string; fault: string }[];
    faultCount: number;
    /** Whether the last line that the last report saw is still there. `undefined`: there was no report. */
    hasLastHead?: boolean;
    /** When a report saw a line that is gone since: the first such report. */
    lost?: string;
    /** When a report saw a line that was gone for a while, and is there again: the first such report. */
    back?: string;
  };
  /** What each policy in force says. */
  policies: readonly string[];
  /** What the page has no room for, each as a sentence. */
  leftOut: string[];
}

interface Options {
  home: string;
  now: Date;
  since?: Date | undefined;
  /** `undefined`: they cannot be listed, so nothing can be said about changes. */
  hooks: readonly FoundHook[] | undefined;
  /** Hears how many lines of the record are read. */
  told?: (lines: number) => void;
  /** What could not be read. */
  problems: readonly string[];
  /** The policies in force, and what each says. */
  limits?: readonly Policy[];
  policies?: readonly string[];
  /** A person takes the record as it is, although lines that a report saw are gone. */
  cleared?: boolean;
}

/** Reads the record and compares it with the last report. `keep`: what to keep of this one for the next. */
export async function makeReport(options: Options): Promise<{ report: Report; keep?: LastReport }> {
  const { home, now, since } = options;
  const { last, problem } = readLastReport(home);
  const record = await readRecord(home, { since: since?.getTime(), seen: seenLines(last), told: options.told });
  const { lost, back } = lostOf(record, last);
  const told = options.cleared ? [] : lost;
  const { limits = [] } = options;
  const found = (options.hooks ?? []).map((one) => asRecorded(one, record));
  const { hooks, leftOut } = hooksOf(found, record, limits);
  const shown = [...hooks.values()];
  const problems = [...options.problems, ...(problem === undefined ? [] : [problem])];
  // Where hooks cannot be listed, none is known to be missing.
  const lacking = options.hooks
    ? lackingRequired(
        limits,
        found.filter(({ origin }) => origin).map((one) => candidateOf(one, hooks.get(one.key))),
      )
    : [];
  const { troubles, leftOut: hiddenTroubles } = troublesOf(record, shown, problems, told[0], lacking);
  const { folder, lines, trials, linesInPeriod, from, to, head, faults, faultCount } = record;
  const time = now.toISOString();
  const hasLastHead = !record.gone.some(({ head }) => head === last?.head);
  const report: Report = {
    time,
    home,
    ...(since === undefined ? {} : { since: since.toISOString() }),
    summary: summaryOf(record, shown),
    troubles,
    ...(last && options.hooks ? { changes: changesSince(last, hooks, { lines, hasLastHead }) } : {}),
    hooks: shown,
    own: { ...record.own, reasons: listOf(record.own.reasons) },
    sessions: record.sessions,
    overTime: record.overTime,
    record: {
      ...{ folder, lines, trials, linesInPeriod, head, faults, faultCount },
      ...(from === undefined || to === undefined ? {} : { from, to }),
      verifies: faultCount === 0 && record.unreadable === undefined,
      ...(last ? { hasLastHead } : {}),
      ...(told[0] === undefined ? {} : { lost: told[0].time }),
      ...(back === undefined ? {} : { back: back.time }),
    },
    policies: options.policies ?? [],
    leftOut: [...leftOut, ...hiddenParts(record, hiddenTroubles)],
  };
  if (!options.hooks) return { report };
  const kept = Object.fromEntries([...hooks].map(([key, hook]) => [key, shownHook(hook)]));
  // Of a record that cannot be read to its end, the last line is not known.
  const end = last && record.unreadable !== undefined ? { lines: last.lines, head: last.head } : { lines, head };
  // The next report, too, says so: a person who missed this one learns of it.
  const lostYet = told.length === 0 ? {} : { lost: told.slice(0, MAX_ENTRIES) };
  return { report, keep: { version: 1, time, ...end, hooks: kept, ...lostYet } };
}

/** Of the lines that reports saw: those that are gone, and the first that a report missed and that is there again. */
function lostOf(
  { gone, unreadable }: WholeRecord,
  last: LastReport | undefined,
): { lost: SeenLine[]; back?: SeenLine | undefined } {
  const known = last?.lost ?? [];
  // What cannot be read now may be there.
  if (unreadable !== undefined) return { lost: known };
  return { lost: [...gone], back: known.find(({ head }) => gone.every((one) => one.head !== head)) };
}

/**
 * A file that only the grants name, by the id that a program gives it: the record has that of what it did, and the file of what
 * people decided. Commands take the file.
 */
function asRecorded(found: FoundHook, { hooks }: WholeRecord): FoundHook {
  const decided = hooks.get(found.id);
  if (found.origin !== undefined || decided?.history.lastUse !== undefined) return found;
  const named = [...hooks].filter(([, { history }]) => history.file === found.key);
  const [[id, recorded] = []] = named;
  // Programs may name one file differently.
  if (named.length !== 1 || id === undefined || recorded === undefined) return found;
  if (decided) {
    for (const [deed, count] of decided.deeds) add(recorded.deeds, deed, count);
    recorded.decisions = [...recorded.decisions, ...decided.decisions].sort((a, b) => (a.time < b.time ? -1 : 1));
    hooks.delete(found.id);
  }
  return { ...found, id };
}

/** The hooks of the page by their key: those that were found, then those that only the record names, the latest first. */
function hooksOf(
  found: readonly FoundHook[],
  record: WholeRecord,
  policies: readonly Policy[],
): { hooks: Map<string, ReportedHook>; leftOut: string[] } {
  const known = new Set(found.map(({ id }) => id));
  const isShared = (id: string): boolean => found.filter((one) => one.id === id && one.origin).length > 1;
  const others = [...record.hooks].filter(([id]) => !known.has(id)).sort(([, a], [, b]) => (a.last < b.last ? 1 : -1));
  const all: [string, ReportedHook][] = [
    ...found.map((one): [string, ReportedHook] => [
      one.key,
      describeHook(one, record.hooks.get(one.id), { isShared: isShared(one.id), policies }),
    ]),
    ...others.map(([id, recorded]): [string, ReportedHook] => [id, recordedHook(id, recorded)]),
  ];
  const more = all.length - MAX_HOOKS;
  return {
    hooks: new Map(all.slice(0, MAX_HOOKS)),
    leftOut: more > 0 ? [`${more} more hooks: a report shows ${MAX_HOOKS}`] : [],
  };
}

function summaryOf({ deeds, hooks }: WholeRecord, shown: readonly ReportedHook[]): Report["summary"] {
  const count = (...names: Deed[]): number => names.reduce((sum, name) => sum + (deeds.get(name) ?? 0), 0);
  return {
    hooks: shown.filter(({ state }) => state !== "recorded" && state !== "granted").length,
    answers: count("passed", "changed", "blocked", "monitored", "asked"),
    blocked: count("blocked"),
    changed: count("changed"),
    monitored: count("monitored"),
    used: count("used"),
    refused: count("refused"),
    crashes: [...hooks.values()].reduce((sum, { crashes }) => sum + crashes, 0),
  };
}

const hiddenParts = ({ sessionsLeftOut, sessions, overTime, uncounted }: WholeRecord, troubles: number): string[] => [
  ...(troubles > 0 ? [`${troubles} more things to look at`] : []),
  ...(sessionsLeftOut > 0 ? [`${sessionsLeftOut} older sessions: a report shows the latest ${sessions.length}`] : []),
  ...(overTime.leftOut > 0 ? [`${overTime.leftOut} older ${overTime.unit}s of the use of powers`] : []),
  ...(uncounted > 0
    ? [`${counted(uncounted, "line")} of further names of hooks, which are not counted one by one`]
    : []),
];
