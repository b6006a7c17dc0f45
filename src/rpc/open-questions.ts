import { isDeepStrictEqual } from "node:util";

/** What an agent answers to a dialog that it will put to the person itself, with the call that the dialog is about. */
const LATER = { later: true };

/** Which hooks asked the person in a call whose agent puts such questions itself. */
export class OpenQuestions {
  readonly #calls = new Set<{ asks: boolean; asked: Set<string> }>();

  /** Runs the judging of a call. `asks`: its agent puts questions itself, and `act` is told which hooks asked in it. */
  async during<T>(asks: boolean, act: (hasAsked: (hook: string) => boolean) => Promise<T>): Promise<T> {
    const call = { asks, asked: new Set<string>() };
    this.#calls.add(call);
    try {
      return await act((hook) => call.asked.has(hook));
    } finally {
      this.#calls.delete(call);
    }
  }

  /**
   * True if an answer puts the question off. It counts for the call under way; of several, none: a dialog does not say whose it is,
   * and a block of one call must not become a question by another.
   */
  isPutOff(hook: string | undefined, answer: unknown): boolean {
    if (!isDeepStrictEqual(answer, LATER)) return false;
    const [only, ...more] = this.#calls;
    if (hook !== undefined && only?.asks && more.length === 0) only.asked.add(hook);
    return true;
  }
}
