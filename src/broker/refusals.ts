import type { AuditFact } from "../audit/audit.ts";
import { CordonError, type ErrorCode } from "../base/errors.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { cleanLine } from "../base/text.ts";
import type { Hook } from "../session/hook.ts";
import type { Reporter, Wanted } from "../session/reporter.ts";
import type { PreparedEvent } from "../supervisor/prepared-event.ts";

/** Refused requests of one hook in a minute that are looked at: programs that look around make hundreds. */
const MAX_REFUSALS = 1000;
/** Proposals made for one hook in a minute: more than a person is asked, or an author reads. */
const MAX_PROPOSALS = 100;

/** What one hook was refused: how often, and what was reported of it. */
export class Refusals {
  readonly #hook: Hook;
  readonly #reporter: Reporter;
  readonly #reported = new Set<string>();
  /** Requests that the grant does not cover. */
  readonly #refusals = new RateLimit();
  /** Those of them that a person would be asked about, or told what to grant. */
  readonly #proposals = new RateLimit();

  constructor(hook: Hook, reporter: Reporter) {
    this.#hook = hook;
    this.#reporter = reporter;
  }

  /** Writes a line about a request of the hook's. False if it could not be written: then no power is used. */
  audit(fact: Omit<AuditFact, "hook" | "digest">): boolean {
    const { id, digest } = this.#hook;
    return this.#reporter.audit({ hook: id, ...(digest ? { digest } : {}), ...fact });
  }

  /** No more of them are looked at in this minute. */
  get isFull(): boolean {
    return this.#refusals.count() >= MAX_REFUSALS;
  }

  /** Counts one. False if it was one too many. */
  count(): boolean {
    return this.#refusals.use(MAX_REFUSALS);
  }

  /** Counts a proposal. False if it was one too many. */
  mayPropose(): boolean {
    return this.#proposals.use(MAX_PROPOSALS);
  }

  /** It was refused so often that its requests are not looked at, and cost nothing but an answer. */
  tooMany(method: string): CordonError {
    this.audit({ capability: method, value: "", outcome: "RATE_LIMITED" });
    const what = `more than ${MAX_REFUSALS} requests in a minute that it was not granted`;
    return new CordonError("RATE_LIMITED", `hook ${this.#hook.name} made ${what}`);
  }

  /** The error for a hook that is refused something: reported once for each power and value. */
  refuse(
    code: ErrorCode,
    power: string,
    value: string,
    event: PreparedEvent | undefined,
    wanted?: Wanted,
    quiet = false,
  ): CordonError {
    const shown = cleanLine(value, 200);
    const error = new CordonError(
      code,
      `hook ${this.#hook.name} ${code === "NOT_GRANTED" ? `was not granted ${power}: ${shown}; run: cordon grant ${this.#hook.id} ${power}` : `used ${power} too often: ${shown}`}`,
    );
    const key = `${code} ${power} ${shown}`;
    if (!this.#reported.has(key) && this.#reported.size < 100) {
      this.#reported.add(key);
      const reported = wanted?.grant === undefined ? error : { code, message: error.message, wanted };
      this.#reporter.refused(this.#hook, event?.type ?? "call", reported, quiet);
    }
    return error;
  }
}
