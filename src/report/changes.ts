import { quoted } from "../powers/quoted.ts";
import type { PowerState, ReportedHook } from "./hook.ts";
import type { LastReport, ShownHook } from "./last-report.ts";
import { MAX_ENTRIES } from "./limits.ts";

/** A difference to the last report. `alert`: it widens what a hook may do, or nobody may have meant it. */
export interface Change {
  hook: string;
  text: string;
  alert: boolean;
}

/** What changed since the last report. */
export interface Changes {
  /** When the last report was written. */
  since: string;
  entries: Change[];
  leftOut: number;
  /** Lines that were recorded since. */
  lines: number;
}

/** What a report keeps of a hook for the next one. */
export const shownHook = (hook: ReportedHook): ShownHook => ({
  name: hook.name,
  origin: hook.origin,
  ...(hook.source === undefined ? {} : { source: hook.source }),
  ...(hook.version === undefined ? {} : { version: hook.version }),
  ...(hook.provenance === undefined ? {} : { provenance: hook.provenance }),
  ...(hook.digest === undefined ? {} : { digest: hook.digest }),
  state: hook.state,
  granted: Object.fromEntries(
    hook.powers.flatMap(({ power, granted }) => (granted === undefined ? [] : [[power, granted]])),
  ),
  used: hook.powers.filter(isUsed).map(({ power }) => power),
  refused: hook.powers.filter(({ refused }) => refused > 0).map(({ power }) => power),
});

const isUsed = ({ lastUse }: PowerState): boolean => lastUse !== undefined;

/** @param record the number of its lines now, and whether it still has the last line that the last report saw */
export function changesSince(
  last: LastReport,
  hooks: ReadonlyMap<string, ReportedHook>,
  { lines, hasLastHead }: { lines: number; hasLastHead: boolean },
): Changes {
  const before = new Map(Object.entries(last.hooks));
  const entries = [
    ...[...hooks].flatMap(([key, hook]) => {
      const old = before.get(key);
      return old ? changesOf(hook, hasLastHead ? old : withoutRecord(old, hook)) : appeared(hook);
    }),
    ...[...before].flatMap(([key, { name, state }]) =>
      hooks.has(key) ? [] : [{ hook: name, text: "is gone", alert: state !== "recorded" }],
    ),
  ].sort((a, b) => Number(b.alert) - Number(a.alert));
  return {
    since: last.time,
    entries: entries.slice(0, MAX_ENTRIES),
    leftOut: Math.max(0, entries.length - MAX_ENTRIES),
    lines: Math.max(0, lines - last.lines),
  };
}

function appeared(hook: ReportedHook): Change[] {
  const { name, origin, source, state, powers } = hook;
  const granted = powers.filter((power) => power.granted !== undefined).map(({ power }) => power);
  const from = source === undefined ? "" : `, from ${quoted(source)}`;
  const may = granted.length > 0 ? `; granted: ${granted.join(", ")}` : "";
  return [{ hook: name, text: `is new: ${origin}${from}${may}`, alert: state !== "recorded" }];
}

const known = (text: string | undefined): string => (text === undefined ? "not known" : quoted(text));

/** A hook of your own may have no digest before its first grant: that one then says nothing about its files. */
const isKnown = ({ digest }: ShownHook): boolean => digest !== undefined;

/** Of a record that was lost, nothing says that a hook recovered. */
const withoutRecord = (old: ShownHook, { state }: ReportedHook): ShownHook =>
  old.state === "failed" || old.state === "stopped" ? { ...old, state } : old;

const FACTS = ["version", "source", "provenance", "origin", "state"] as const;

function changesOf(hook: ReportedHook, old: ShownHook): Change[] {
  const change = (text: string, alert: boolean): Change => ({ hook: hook.name, text, alert });
  const now = shownHook(hook);
  const facts = FACTS.filter((fact) => now[fact] !== old[fact]).map((fact) =>
    change(`${fact}: was ${known(old[fact])}, is ${known(now[fact])}`, true),
  );
  const isOtherCode = isKnown(now) && isKnown(old) && now.digest !== old.digest && now.version === old.version;
  const butVersion = now.version === undefined ? "" : ", and its version did not";
  const granted = new Map(Object.entries(old.granted));
  const grants = hook.powers.flatMap(({ power, granted: text }) => {
    const was = granted.get(power);
    granted.delete(power);
    if (text === was || text === undefined) return text === was ? [] : [change(`${power} was taken back`, false)];
    return [change(was === undefined ? `${power} was granted: ${text}` : `${power}: was ${was}, is ${text}`, true)];
  });
  const first = (what: string, all: readonly string[], before: readonly string[], alert: boolean): Change[] =>
    all.filter((power) => !before.includes(power)).map((power) => change(`${what} ${power} for the first time`, alert));
  return [
    ...facts,
    ...(isOtherCode ? [change(`its files changed${butVersion}`, true)] : []),
    ...grants,
    ...[...granted.keys()].map((power) => change(`${power} was taken back`, false)),
    ...first("used", now.used, old.used, false),
    ...first("was refused", now.refused, old.refused, true),
  ];
}
