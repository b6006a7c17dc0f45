import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { onePower } from "../grants/one-power.ts";
import { forbiddenBy, type Policy, takenBy, withinPolicies } from "../grants/policy.ts";
import { type Asks, powersOf } from "../grants/schema.ts";

/** A value that a hook was refused, as the record tells it. An empty name stands for all others. */
export interface Refused {
  name: string;
  count: number;
  /** The file of the policy that did not allow it then, whatever was granted. */
  policy?: string;
  /** The least grant that would cover it, as JSON. */
  wanted?: string;
}

/**
 * Why a hook is refused something, from what holds now. `policy`: a policy did not allow it then. `forbidden`: one does not allow it
 * now. `taken`: it was granted, and a policy takes it. `narrowed`: the record does not say what would cover it, and a policy takes some
 * of the power. `granted`: it was granted since. `open`: nobody granted it.
 */
type Cause = "policy" | "forbidden" | "taken" | "narrowed" | "granted" | "open";

/** A refusal with its cause. */
export interface Refusal extends Refused {
  cause: Cause;
  /** The hook's manifest asks for it: a grant of the power alone covers it. */
  asked?: true;
}

/** What decides about a refusal: what the hook has, what its manifest asks for, and the policies in force. */
interface Standing {
  has: Asks;
  asks: Asks;
  policies: readonly Policy[];
}

/** The grant in a line of the record. Nothing that no person could grant counts. */
export const wantedIn = (power: string, wanted: string | undefined): Asks | undefined =>
  wanted === undefined ? undefined : attemptOr(() => onePower(power, readJson(wanted)), undefined);

/** The grants of refusals together, as one. */
export const together = (grants: readonly Asks[]): Asks =>
  grants.reduce((sum, { limits, ...powers }) => {
    const { limits: before, ...others } = sum;
    return { ...powersOf.union(others, powers), ...(before || limits ? { limits: { ...before, ...limits } } : {}) };
  }, {});

export function refusalOf(power: string, refused: Refused, standing: Standing): Refusal {
  const wanted = wantedIn(power, refused.wanted);
  const asked = wanted ? covers(standing.asks, wanted) : Object.hasOwn(standing.asks, power);
  return { ...refused, cause: causeOf(power, refused, wanted, standing), ...(asked ? { asked } : {}) };
}

function causeOf(power: string, { policy }: Refused, wanted: Asks | undefined, { has, policies }: Standing): Cause {
  if (policy !== undefined) return "policy";
  if (wanted && covers(has, wanted)) {
    const { limits, ...powers } = has;
    return covers({ ...withinPolicies(policies, powers), ...(limits ? { limits } : {}) }, wanted) ? "granted" : "taken";
  }
  if (!wanted && Object.hasOwn(takenBy(policies, has), power)) return "narrowed";
  const inForce = policies.map((one) => ({ path: "", policy: one }));
  const grant = (wanted as Readonly<Record<string, unknown>> | undefined)?.[power];
  return forbiddenBy(inForce, power, grant) === undefined ? "open" : "forbidden";
}

/** Whether powers and limits cover others. */
function covers({ limits: most, ...powers }: Asks, { limits = {}, ...others }: Asks): boolean {
  const has: Readonly<Record<string, unknown>> = most ?? {};
  return Object.entries(limits).every(([name, value]) => has[name] === value) && powersOf.covers(powers, others);
}
