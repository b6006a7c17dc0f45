import { CordonError } from "../base/errors.ts";
import { dangersOf } from "../grants/dangers.ts";
import { liftedIn } from "../grants/limits.ts";
import { askedOf, onePower } from "../grants/one-power.ts";
import { type Policy, withinPolicies } from "../grants/policy.ts";
import { exampleOf } from "../grants/power-example.ts";
import { type Asks, type Capabilities, powersOf } from "../grants/schema.ts";
import { refuseUnreviewable, shownPower } from "../grants/shown-power.ts";
import type { Decisions } from "../session/decisions.ts";
import type { Hook } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import { unrecorded } from "../store/decision-log.ts";

/** A power that a person may add to a hook, as they read it. */
export interface GrantQuestion {
  readonly text: string;
  /** What would be granted, as JSON. */
  readonly grants: string;
  /**
   * Adds the power: for this session, or also for later ones. Returns false if it could not be kept for later ones. Limits
   * hold from the hook's next start on. Throws `BAD_GRANT` if the audit cannot be written.
   */
  answer(duration: "session" | "always"): boolean;
}

/** What the hooks of a session may do, and changes of it that a person decides in the agent. */
export class HostGrants {
  readonly #hooks: readonly Hook[];
  readonly #policies: readonly Policy[];
  readonly #decisions: Decisions;
  readonly #reporter: Reporter;

  constructor(
    hooks: readonly Hook[],
    policies: readonly Policy[],
    { decisions, reporter }: { decisions: Decisions; reporter: Reporter },
  ) {
    this.#hooks = hooks;
    this.#policies = policies;
    this.#decisions = decisions;
    this.#reporter = reporter;
  }

  /** The powers that a hook has now. Throws `BAD_GRANT` for an unknown id, like the other methods. */
  of(id: string): Capabilities {
    return structuredClone(this.#hook(id).grant.capabilities);
  }

  /** The same, with the limits that a person lifted. */
  asShown(id: string): Asks {
    const limits = liftedIn(this.#hook(id).grant);
    return { ...this.of(id), ...(limits ? { limits } : {}) };
  }

  /**
   * Asks for one power, as the hook's manifest asks for it or as `value` says. Nothing is granted before it is answered,
   * which only a person may do. Throws `BAD_GRANT` for a power that nobody asks for, that is malformed, too long to be read,
   * or not allowed by an organisation's policy.
   */
  question(id: string, power: string, value: unknown): GrantQuestion {
    const hook = this.#hook(id);
    if (hook.state === "pending")
      throw new CordonError("BAD_GRANT", `${hook.name} was never accepted; run: cordon accept`);
    const asked = askedOf(hook.manifest) as Record<string, unknown>;
    const wanted = value ?? (Object.hasOwn(asked, power) ? asked[power] : undefined);
    if (wanted === undefined)
      throw new CordonError(
        "BAD_GRANT",
        `${hook.name} asks for no ${power} in a manifest: say what, as JSON, as in ${exampleOf(power)}`,
      );
    const { limits, ...powers } = onePower(power, wanted);
    refuseUnreviewable([powers], `${power} for ${hook.name}`, "BAD_GRANT");
    if (!powersOf.covers(withinPolicies(this.#policies, powers), powers))
      throw new CordonError("BAD_GRANT", `your organisation's policy does not allow ${hook.name} this ${power}`);
    const granted = limits ?? Object.entries(powers).find(([name]) => name === power)?.[1];
    const dangers = dangersOf(power, granted, hook.grant.capabilities).map((danger) => `, and ${danger}`);
    const shown = shownPower(power, granted);
    return {
      grants: shown,
      text: `Grant hook ${hook.name} this: ${power} ${shown}${dangers.join("")}?`,
      answer: (duration) => {
        const outcome = `consent: ${duration}`;
        if (!this.#reporter.audit({ hook: hook.id, capability: power, value: shown, outcome })) throw unrecorded();
        if (limits) return this.#decisions.allowLimits(hook, limits, duration);
        if (duration === "always") return this.#decisions.allowAlways(hook, power, granted);
        this.#decisions.allow(hook, power, granted);
        return true;
      },
    };
  }

  /** Takes a power, or all powers, from a hook, also for later sessions. What makes it a guard stays. */
  revoke(id: string, power?: string): void {
    this.#decisions.revoke(this.#hook(id), power);
  }

  #hook(id: string): Hook {
    const hook = this.#hooks.find((one) => one.id === id);
    if (!hook) throw new CordonError("BAD_GRANT", `no hook has the id ${id}`);
    return hook;
  }
}
