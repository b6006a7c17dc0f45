import type { AuditFact } from "../audit/line.ts";
import type { ErrorCode, ErrorFacts } from "../base/errors.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { cleanLine } from "../base/text.ts";
import type { Wanted } from "../grants/wanted.ts";
import type { Hook } from "../session/hook.ts";
import { GRANTED_SINCE, grantRemedy } from "../session/remedies.ts";
import type { Reporter } from "../session/reporter.ts";
import type { PreparedEvent } from "../supervisor/prepared-event.ts";

/** Most refused requests of one hook in a minute that are checked at all. Programs that explore make hundreds. */
const MAX_REFUSALS = 1000;
/** Most proposals for one hook in a minute: more than a person answers, or an author reads. */
const MAX_PROPOSALS = 100;
/** For a hook that is tried out both are more: nothing of it is done, and its author reads what comes of it at the end. */
const REHEARSED = { refusals: 20_000, proposals: 2_000 } as const;

/** What would have been enough. */
interface Refused extends Wanted {
  /** That, as if nothing were on the disk: the hook reads it. */
  readonly told: unknown;
  readonly isForbidden: boolean;
  /** A person granted it since the session began. */
  readonly isGrantedSince: boolean;
}

/** Counts and reports the refusals of one hook. */
export class Refusals {
  readonly #hook: Hook;
  readonly #reporter: Reporter;
  readonly #reported = new Set<string>();
  /** Requests that the grant does not cover. */
  readonly #refusals = new RateLimit();
  /** Those for which a grant is proposed to a person or an author. */
  readonly #proposals = new RateLimit();

  readonly #most: { readonly refusals: number; readonly proposals: number };

  constructor(hook: Hook, reporter: Reporter, isRehearsed: boolean) {
    this.#hook = hook;
    this.#reporter = reporter;
    this.#most = isRehearsed ? REHEARSED : { refusals: MAX_REFUSALS, proposals: MAX_PROPOSALS };
  }

  /** Writes a line about a request. False if it could not be written: then no power is used. */
  audit(fact: Omit<AuditFact, "hook" | "digest">): boolean {
    const { id, digest } = this.#hook;
    return this.#reporter.audit({ hook: id, ...(digest ? { digest } : {}), ...fact });
  }

  /** No more refused requests are checked in this minute. */
  get isFull(): boolean {
    return this.#refusals.count() >= this.#most.refusals;
  }

  /** Counts a refusal. False if it was one too many. */
  count(): boolean {
    return this.#refusals.use(this.#most.refusals);
  }

  /** Counts a proposal for what was not refused before. False if it was one too many. */
  mayPropose(power: string, value: string): boolean {
    const isKnown = this.#reported.has(keyOf("NOT_GRANTED", power, cleanLine(value, 200)));
    return isKnown || this.#proposals.use(this.#most.proposals);
  }

  /** The error for a hook that was refused too often: its requests are answered without being checked. */
  tooMany(method: string): ErrorFacts {
    this.audit({ capability: method, value: "", outcome: "RATE_LIMITED" });
    const what = `more than ${this.#most.refusals} requests in a minute that it was not granted`;
    return { code: "RATE_LIMITED", message: `hook ${this.#hook.name} made ${what}` };
  }

  /** `wanted`: left out for what no grant was looked for. */
  #remedy(capability: string, wanted: Refused | undefined): string {
    if (wanted?.told === undefined && wanted?.isForbidden === false) return "no grant names it alone";
    if (wanted?.isGrantedSince && !wanted.isForbidden) return GRANTED_SINCE;
    return grantRemedy(this.#hook, { capability, grant: wanted?.told }, wanted?.isForbidden);
  }

  /** The error for a refusal, which is reported once for each power and value. */
  refuse(
    code: ErrorCode,
    power: string,
    value: string,
    event: PreparedEvent | undefined,
    wanted?: Refused,
    quiet = false,
  ): ErrorFacts {
    const shown = cleanLine(value, 200);
    const what =
      code === "NOT_GRANTED"
        ? `was not granted ${power}: ${shown}; ${this.#remedy(power, wanted)}`
        : `used ${power} too often: ${shown}`;
    const error = { code, message: `hook ${this.#hook.name} ${what}` };
    const key = keyOf(code, power, shown);
    if (!this.#reported.has(key) && this.#reported.size < this.#most.proposals) {
      this.#reported.add(key);
      const { capability, grant } = wanted ?? {};
      const reported =
        capability === undefined || grant === undefined ? error : { ...error, wanted: { capability, grant } };
      const report = (): void => this.#reporter.refused(this.#hook, event?.type ?? "background", reported, quiet);
      if (event?.context) event.context.runInAsyncScope(report);
      else report();
    }
    return error;
  }
}

const keyOf = (code: ErrorCode, power: string, shown: string): string => `${code} ${power} ${shown}`;
