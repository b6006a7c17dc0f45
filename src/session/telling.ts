/** A hook is being told of the session. */
export class Telling {
  /** Resolves once it has handled that, or has taken as long as it may: it may itself have begun what waits for it. */
  readonly wait: Promise<void>;
  #isLate = false;

  /** `handled`: never rejects. `mostMs`: how long it may take. */
  constructor(handled: Promise<void>, mostMs: number) {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#isLate = true;
      late.resolve();
    }, mostMs);
    this.wait = Promise.race([handled.finally(() => clearTimeout(timer)), late.promise]);
  }

  /** It takes longer than it may, and nobody waits for it any more. */
  get isLate(): boolean {
    return this.#isLate;
  }
}
