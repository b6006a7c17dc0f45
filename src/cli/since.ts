import { InvalidArgumentError } from "commander";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 7 * 86_400_000],
]);

/** Parses a time in the past: a span such as `30m`, `12h`, `7d` or `2w`, or an ISO 8601 date or time. */
export function pastTime(text: string): Date {
  const [, count = "", unit = ""] = /^(\d{1,5})([smhdw])$/.exec(text) ?? [];
  const ms = UNITS.get(unit);
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const date = new Date(ms === undefined ? (isIso ? text : "") : Date.now() - Number(count) * ms);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError(
      "it must be a span (30m, 12h, 7d, 2w), or a date or time (2026-01-31, 2026-01-31T12:00Z)",
    );
  if (date.getTime() > Date.now()) throw new InvalidArgumentError("it is in the future");
  return date;
}
