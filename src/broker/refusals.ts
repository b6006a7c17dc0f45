import { CordonError, type ErrorCode } from "../base/errors.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { cleanLine } from "../base/text.ts";
import type { Hook } from "../session/hook.ts";
import type { Wanted } from "../session/reporter.ts";
import type { PreparedEvent } from "../supervisor/prepared-event.ts";

/** Refused requests of one hook in a minute that are looked at: programs that look around make hundreds. */
const MAX_REFUSALS = 1000;
/** Proposals made for one hook in a minute: more than a person is asked, or an author reads. */
const MAX_PROPOSALS = 100;

/** Where refusals go. */
export interface RefusalDeps {
  /** False if it could not be written: then no power is used. */
  audit(fact: { capability: string; value: string; outcome: string; event?: string }): boolean;
  /** A refusal, told once for each power and value. `wanted`: what would have to be granted. `quiet`: only to who listens for all. */
  refused(error: CordonError, event: string, wanted: Wanted | undefined, quiet: boolean): void;
}

/** What one hook was refused: how often, and what was reported of it. */
export class Refusals {
  readonly #hook: Hook;
  readonly #deps: RefusalDeps;
  readonly #reported = new Set<string>();
  /** Requests that the grant does not cover. */
  readonly #refusals = new RateLimit();
  /** Those of them that a person would be asked about, or told what to grant. */
  readonly #proposals = new RateLimit();

  constructor(hook: Hook, deps: RefusalDeps) {
    this.#hook = hook;
    this.#deps = deps;
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
    this.#deps.audit({ capability: method, value: "", outcome: "RATE_LIMITED" });
    const what = `more than ${MAX_REFUSALS} requests in a minute that it was not granted`;
    return new CordonError("RATE_LIMITED", `hook ${this.#hook.name} made ${what}`);
  }

  /** The error for a hook that is refused something: reported once for each power and value. */
  refuse(
    code: ErrorCode,
    power: string,
    value: string,
    event: PreparedEvent | undefined,
    wanted?: { capability: string; grant: unknown },
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
      this.#deps.refused(error, event?.type ?? "call", wanted?.grant === undefined ? undefined : wanted, quiet);
    }
    return error;
  }
}
