import { CordonError, messageOf } from "../base/errors.ts";
import { cleanText, inQuotes } from "../base/text.ts";
import { dangersOf } from "../grants/dangers.ts";
import { forbiddenBy, type PolicyInForce, withinPolicies } from "../grants/policy.ts";
import type { Capabilities } from "../grants/schema.ts";
import { shownPower } from "../grants/shown-power.ts";
import type { Session } from "../powers/lent-session.ts";
import { ANSWERS_AFTERWARDS, type Consent, type ConsentAnswer, type ConsentQuestion, FOR_LONGER } from "./consent.ts";
import type { Decisions } from "./decisions.ts";
import type { Hook } from "./hook.ts";
import type { Reporter } from "./reporter.ts";

/** Longest request that a person is asked about. */
const MAX_ASKED = 500;

/** Longest text of the grant that a person is asked about. */
const MAX_GRANTED = 1000;

/** An invisible character, which a quoted text shows as an escape sequence. */
const HAS_ESCAPE = /\\u[0-9a-f]{4}/;

/** A name that can be no more than a name. */
const PLAIN_NAME = /^[\w.:@/-]+$/;

/** A use of a power that was not granted, for the question to a person. */
export interface Use {
  readonly capability: string;
  /** What it is about, and where that leads now. It costs more than the rest: to be called only when somebody may be asked. */
  shown(): string;
  /** The smallest grant that would cover it. */
  readonly proposal: unknown;
  /** The use is refused already: the answer is for later uses. */
  readonly isOver: boolean;
  /** Whether the hook's powers together with `grant` cover the use. */
  enough(grant: unknown): boolean;
}

/** Asks a person about powers that hooks use without a grant, and applies the answer. */
export class UseConsent {
  readonly #session: Session;
  readonly #policies: readonly PolicyInForce[];
  readonly #consent: Consent;
  readonly #decisions: Decisions;
  readonly #reporter: Reporter;

  constructor(options: {
    session: Session;
    policies: readonly PolicyInForce[];
    consent: Consent;
    decisions: Decisions;
    reporter: Reporter;
  }) {
    this.#session = options.session;
    this.#policies = options.policies;
    this.#consent = options.consent;
    this.#decisions = options.decisions;
    this.#reporter = options.reporter;
  }

  /** Asks what a person began in the agent. Throws `BAD_GRANT` where there is nobody to ask. */
  async askPerson(question: ConsentQuestion): Promise<ConsentAnswer> {
    if (!this.#session.hasUI)
      throw new CordonError("BAD_GRANT", "this needs a person, and there is nobody to ask here");
    return this.#consent.askAnew(question);
  }

  /**
   * The file of the policy that does not allow a use of a power, whatever is granted, if one does not. `proposal`: the grant that would
   * allow it, if one is known; `allows`: whether powers allow it.
   */
  forbiddenBy(
    { grantedAll }: Hook,
    capability: string,
    proposal: unknown,
    allows: (powers: Capabilities) => boolean,
  ): string | undefined {
    if (this.#policies.length === 0) return undefined;
    const known = forbiddenBy(this.#policies, capability, proposal);
    // What was granted may allow what no proposal names.
    if (known !== undefined || !grantedAll || !allows(grantedAll)) return known;
    return this.#policies.find(({ policy }) => !allows(withinPolicies([policy], grantedAll)))?.path;
  }

  /**
   * Asks, if there is a person to ask and the hook's manifest names the power. Resolves with the part of the proposal that
   * was granted, for this use or for longer; `undefined` if nothing was.
   */
  async ask(hook: Hook, { capability, shown, proposal, isOver, enough }: Use): Promise<unknown> {
    const asked = { ...hook.manifest?.optional, ...hook.manifest?.capabilities } as Record<string, unknown>;
    if (!this.#session.hasUI || (hook.manifest && asked[capability] === undefined)) return undefined;
    const why = hook.manifest?.why?.[capability];
    const policies = this.#policies.map(({ policy }) => policy);
    const within = withinPolicies(policies, { [capability]: proposal } as Capabilities);
    const granted = (within as Record<string, unknown>)[capability];
    if (granted === undefined) return undefined;
    const grants = shownPower(capability, granted);
    // A denial lasts for the session, and is on record.
    if (this.#consent.isDenied(hook.id, capability, grants) || !enough(granted)) return undefined;
    const value = shown();
    // A person cannot agree to what cannot be shown whole.
    if (cleanText(value, MAX_ASKED) !== value || value.includes("\n") || HAS_ESCAPE.test(value)) return undefined;
    if (grants.length > MAX_GRANTED || HAS_ESCAPE.test(grants)) return undefined;
    // A file may be called as a sentence of Cordon's is.
    const name = PLAIN_NAME.test(hook.name) ? hook.name : inQuotes(hook.name);
    const question: ConsentQuestion = {
      ...{ hook: hook.id, capability, value, grants },
      // Read when its turn comes: the answer to one before it may have given what makes this one dangerous.
      get text() {
        const dangers = dangersOf(capability, granted, hook.grant.capabilities).map((danger) => `, and ${danger}`);
        return `hook ${name} wants to use ${capability}: ${value}${FOR_LONGER}${grants}${dangers.join("")}`;
      },
      ...(why === undefined ? {} : { why }),
      ...(isOver ? { answers: ANSWERS_AFTERWARDS } : {}),
    };
    const { digest } = hook;
    const answer = await this.#consent.ask(question, digest);
    // The refusal has its own line; no person decided this one.
    if (answer === "later") return undefined;
    const isOnRecord = this.#reporter.audit({ hook: hook.id, capability, value, outcome: `consent: ${answer}` });
    // Nothing is given without a record.
    if (!isOnRecord) return undefined;
    if (hook.digest !== digest) {
      const text = `${capability} is not given: the hook was replaced by other bytes while a person was asked`;
      this.#reporter.log({ level: "warn", hook: hook.id, text });
      return undefined;
    }
    if (answer === "session") this.#decisions.allow(hook, capability, granted);
    if (answer === "always") this.#allowAlways(hook, capability, granted);
    return answer === "deny" ? undefined : granted;
  }

  #allowAlways(hook: Hook, capability: string, granted: unknown): void {
    try {
      if (this.#decisions.allowAlways(hook, capability, granted)) return;
      const text = `${capability} is allowed for this session only: another version of it is accepted by now, or none`;
      this.#reporter.log({ level: "warn", hook: hook.id, text });
    } catch (error) {
      this.#decisions.allow(hook, capability, granted);
      this.#reporter.log({ level: "error", text: `the grant could not be kept: ${messageOf(error)}` });
    }
  }
}
