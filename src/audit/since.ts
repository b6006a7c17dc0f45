const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 7 * 86_400_000],
]);

/** What {@link timeIn} reads, as the end of a sentence. */
export const TIME_FORMS =
  'a span (30m, 12h, 7d, 2w), a time of today (16:21), today, yesterday, "yesterday 16:21", or a date or time (2026-01-31, 2026-01-31T12:00Z)';

const SPAN = /^(\d{1,5})([smhdw])$/;
const MOMENT =
  /^(?:(?<day>today|yesterday|\d{4}-\d\d-\d\d)(?:[T ](?=\d)|$))?(?:(?<time>\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The time that a person means, from when on they want to know what happened: see {@link TIME_FORMS}. Without a zone it is of this
 * machine's. `undefined` for any other text.
 */
export function timeIn(text: string, now = new Date()): Date | undefined {
  const [, count = "", unit = ""] = SPAN.exec(text) ?? [];
  const ms = UNITS.get(unit);
  if (ms !== undefined) return new Date(now.getTime() - Number(count) * ms);
  const found = text === "" ? undefined : MOMENT.exec(text)?.groups;
  if (!found) return undefined;
  const { day = "today", time = "00:00", zone = "" } = found;
  const moment = new Date(`${dateOf(day, zone, now)}T${/^\d:/.test(time) ? "0" : ""}${time}${zone}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** The date of a day there, as `2026-01-31`; `undefined` for one that does not exist. */
function dateOf(day: string, zone: string, now: Date): string | undefined {
  const named = day === "today" || day === "yesterday" ? undefined : day;
  const start = named === undefined ? now.getTime() + offsetOf(zone, now) : Date.parse(`${named}T00:00Z`);
  if (Number.isNaN(start)) return undefined;
  const date = new Date(day === "yesterday" ? start - 86_400_000 : start).toISOString().slice(0, 10);
  return named === undefined || named === date ? date : undefined;
}

/** How far a zone is ahead of UTC, in ms. */
function offsetOf(zone: string, now: Date): number {
  if (zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return -now.getTimezoneOffset() * 60_000;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
