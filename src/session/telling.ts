/** A hook is being told of the session. */
export class Telling {
  /** Resolves once it has handled that, or has taken as long as it may: it may itself have begun what waits for it. */
  readonly wait: Promise<void>;
  readonly #over = Promise.withResolvers<void>();
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

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

  /** It has handled that, or will not. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over.resolve();
  }
}
