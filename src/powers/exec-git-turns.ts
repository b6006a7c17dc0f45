/** Tells one that waits for its turn whether it has it. */
type Tell = (begins: boolean) => void;

/** The commands of one repository. One runs; of the hooks whose commands wait, each has one turn before the next has another. */
class Line {
  /** By hook; the one whose turn is next comes first. */
  readonly #waiting = new Map<object, Set<Tell>>();
  #isTaken = false;

  /** Resolves to true when it is this one's turn, and to false once nobody waits for it any more. */
  turn(hook: object, over: AbortSignal): boolean | Promise<boolean> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return true;
    }
    const mine = this.#waiting.get(hook) ?? new Set<Tell>();
    this.#waiting.set(hook, mine);
    return new Promise((resolve) => {
      const told: Tell = (begins) => {
        over.removeEventListener("abort", giveUp);
        mine.delete(told);
        if (mine.size === 0) this.#waiting.delete(hook);
        resolve(begins);
      };
      const giveUp = (): void => told(false);
      mine.add(told);
      over.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** The turn is over. True if there is a next one. */
  end(): boolean {
    const [next] = this.#waiting;
    this.#isTaken = next !== undefined;
    if (!next) return false;
    const [hook, mine] = next;
    this.#waiting.delete(hook);
    if (mine.size > 1) this.#waiting.set(hook, mine);
    const [told] = mine;
    told?.(true);
    return true;
  }
}

const lines = new Map<string, Line>();

/**
 * Runs one command of a repository after the other: what one of them looked at, another would change before it runs. `hook`: whose
 * it is. `over`: nobody waits any more; then it does not run, and the answer is `undefined`.
 */
export async function inTurn<T>(
  repository: string,
  hook: object,
  over: AbortSignal,
  act: () => Promise<T>,
): Promise<T | undefined> {
  if (over.aborted) return undefined;
  const line = lines.get(repository) ?? new Line();
  lines.set(repository, line);
  if (!(await line.turn(hook, over))) return undefined;
  try {
    return over.aborted ? undefined : await act();
  } finally {
    if (!line.end()) lines.delete(repository);
  }
}
