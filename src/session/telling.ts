import type { Failure } from "../supervisor/outcome.ts";

const BUSY: Failure = { code: "TIMEOUT", summary: "it has not handled the start of the session yet" };
const STUCK: Failure = { code: "TIMEOUT", summary: "it did not handle the start of the session in time" };

/** A hook is being told of the session. */
export class Telling {
  /** Resolves once it has handled that, or has taken as long as it may: it may itself have begun what waits for it. */
  readonly wait: Promise<void>;
  readonly #over = Promise.withResolvers<void>();
  readonly #timer: NodeJS.Timeout;
  #isLate = false;
  #isAsked = false;
  #stuckSince: number | undefined;
  #missed: Failure | undefined;

  /** `mostMs`: how long it may take. */
  constructor(mostMs: number) {
    this.wait = this.#over.promise;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#over.resolve();
    }, mostMs);
  }

  /** It takes longer than it may, and nobody waits for it any more. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** The event is on its way to the isolate that runs now. Before that, it is for whichever runs then. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** When its time was up for good, in ms since the epoch. */
  get stuckSince(): number | undefined {
    return this.#stuckSince;
  }

  /** The event did not reach it. It is told again for what comes next, and judges nothing until then. */
  get isMissed(): boolean {
    return this.#missed !== undefined;
  }

  /** Why the hook cannot judge. */
  get failure(): Failure {
    return this.#missed ?? (this.#stuckSince === undefined ? BUSY : STUCK);
  }

  ask(): void {
    this.#isAsked = true;
  }

  /** It has handled that, or will not. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over.resolve();
  }

  /** `why`: the event did not reach it. */
  miss(why: Failure): void {
    this.#missed = why;
    this.end();
  }

  /** It did not handle that. */
  getStuck(): void {
    this.#isLate = true;
    this.#stuckSince = Date.now();
    this.end();
  }
}
