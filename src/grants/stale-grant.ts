import { exactly } from "../powers/quoted.ts";
import { defaultCapabilities, type GrantEntry } from "./grant.ts";
import { widerLimits } from "./limits.ts";
import { type Asks, powersOf } from "./schema.ts";

/** A power that a hook was granted before its files changed, and has no more. `granted`: what of it, as JSON. */
export interface StalePower {
  power: string;
  granted: string;
}

/** What a grant for other files gave beyond what a hook of the user's own has without one. */
export function staleOf(entry: GrantEntry | undefined): StalePower[] {
  const limits = widerLimits(entry?.limits);
  const had: Asks = { ...entry?.capabilities, ...(limits ? { limits } : {}) };
  const lost = Object.keys(powersOf.minus(had, defaultCapabilities()) ?? {});
  return Object.entries(had).flatMap(([power, value]) =>
    lost.includes(power) ? [{ power, granted: exactly(JSON.stringify(value)) }] : [],
  );
}

/** The end of a sentence that begins with the hook. */
export const staleText = ({ power }: StalePower): string =>
  `its files changed since it was granted ${power}, which it has no more`;
