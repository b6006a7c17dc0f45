import { MAX_PERIODS } from "./limits.ts";

/** How often a power was used and refused in one period. */
export interface Count {
  used: number;
  refused: number;
}

/** The use of powers over time. */
export interface OverTime {
  /** How long one period is. */
  unit: "hour" | "day" | "week";
  /** When each begins (UTC), the oldest first, without gaps. */
  periods: string[];
  /** For each power, its counts in these periods. */
  powers: { power: string; counts: Count[] }[];
  /** Older periods with a use that are left out. */
  leftOut: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** `before`: how long before the epoch, a Thursday, the first period began. A week begins on Monday. */
const UNITS = [
  { unit: "hour", ms: HOUR_MS, before: 0, most: 48 },
  { unit: "day", ms: DAY_MS, before: 0, most: MAX_PERIODS },
  { unit: "week", ms: 7 * DAY_MS, before: 3 * DAY_MS, most: MAX_PERIODS },
] as const;
type Unit = (typeof UNITS)[number];

const indexIn = ({ ms, before }: Unit, hour: number): number => Math.floor((hour * HOUR_MS + before) / ms);

/** Most hours that are counted: ten years of work. */
const MAX_HOURS = 30_000;

/** Counts uses by hour, and later joins hours to longer periods. */
export class Periods {
  readonly #hours = new Map<number, Map<string, Count>>();

  /**
   * @param day the day of the file that has the line: a time that does not fit it counts as the start of that day
   */
  add(day: string, time: string, power: string, count: Count): void {
    const start = Date.parse(`${day}T00:00:00Z`);
    const at = time.startsWith(day) ? Date.parse(time) : Number.NaN;
    const hour = Math.floor((at >= start && at < start + DAY_MS ? at : start) / HOUR_MS);
    const powers = this.#hours.get(hour) ?? new Map<string, Count>();
    if (powers.size === 0 && this.#hours.size >= MAX_HOURS) return;
    this.#hours.set(hour, powers);
    const known = powers.get(power) ?? { used: 0, refused: 0 };
    powers.set(power, { used: known.used + count.used, refused: known.refused + count.refused });
  }

  end(): OverTime {
    const hours = [...this.#hours.keys()].sort((a, b) => a - b);
    const [first = 0, last = 0] = [hours.at(0), hours.at(-1)];
    const chosen = UNITS.find((one) => indexIn(one, last) - indexIn(one, first) < one.most) ?? UNITS[2];
    const { unit, ms, before, most } = chosen;
    const indexOf = (hour: number): number => indexIn(chosen, hour);
    const start = Math.max(indexOf(first), indexOf(last) - most + 1);
    const length = hours.length === 0 ? 0 : indexOf(last) - start + 1;
    const counts = new Map<string, Count[]>();
    const old = new Set<number>();
    for (const hour of hours) {
      const at = indexOf(hour) - start;
      if (at < 0) old.add(at);
      else for (const [power, count] of this.#hours.get(hour) ?? []) join(counts, power, length, at, count);
    }
    return {
      unit,
      periods: Array.from({ length }, (_, at) => new Date((start + at) * ms - before).toISOString()),
      powers: [...counts].map(([power, counts]) => ({ power, counts })).sort((a, b) => (a.power < b.power ? -1 : 1)),
      leftOut: old.size,
    };
  }
}

function join(all: Map<string, Count[]>, power: string, length: number, at: number, { used, refused }: Count): void {
  const counts = all.get(power) ?? Array.from({ length }, () => ({ used: 0, refused: 0 }));
  all.set(power, counts);
  const count = counts[at] as Count;
  count.used += used;
  count.refused += refused;
}
