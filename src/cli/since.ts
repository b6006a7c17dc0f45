import { InvalidArgumentError } from "commander";

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a time in the past: `90s`, `30m`, `2h`, `7d`, `2w`, or an ISO 8601 date or time. Returns it as an ISO 8601 time. */
export function since(value: string): string {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(value) ?? [];
  const ago = count !== undefined && unit !== undefined ? Number(count) * UNITS[unit as keyof typeof UNITS] : undefined;
  const time =
    ago === undefined ? (/^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN) : Date.now() - ago;
  if (Number.isFinite(time) && time >= 0) return new Date(time).toISOString();
  throw new InvalidArgumentError("it must be how long ago, as 30m, 2h or 7d, or a date, as 2026-01-31");
}
