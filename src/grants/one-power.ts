import { CordonError } from "../base/errors.ts";
import { checkGrant } from "./grant.ts";
import { widerLimits } from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import type { Asks } from "./schema.ts";

/** All that a manifest asks for, at once or on first use, by power. `limits` counts as one. */
export function askedOf(manifest: Manifest | undefined): Asks {
  const limits = widerLimits(manifest?.limits);
  return { ...manifest?.optional, ...manifest?.capabilities, ...(limits ? { limits } : {}) };
}

/** One power, or `limits`, in the form that a grant has. Throws `BAD_GRANT` for another value. */
export function onePower(power: string, value: unknown): Asks {
  const entry = checkGrant(
    power === "limits" ? { limits: value } : { capabilities: { [power]: value } },
    `grant ${power}`,
  );
  if (!entry.limits) return entry.capabilities ?? {};
  if (!widerLimits(entry.limits))
    throw new CordonError("BAD_GRANT", `grant limits: ${JSON.stringify(entry.limits)} is no more than every hook has`);
  return { limits: entry.limits };
}
