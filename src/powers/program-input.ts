import type { Writable } from "node:stream";

/** Inputs of one hook at once. Before a program is allowed to run, the host keeps a part of up to a megabyte for each. */
const MAX_INPUTS = 8;

const ended = (): Error => Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" });
const busy = (why: string): Error => Object.assign(new Error(why), { code: "RATE_LIMITED" });

/** What a hook writes to a program. Each part waits until the program's pipe has taken it, and only one part waits at a time. */
export class ProgramInput {
  readonly #forget: () => void;
  readonly #started: Promise<Writable>;
  #start: (pipe: Writable) => void = () => {};
  #fail: (reason: Error) => void = () => {};
  #writes = false;

  constructor(forget: () => void) {
    this.#forget = forget;
    this.#started = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.#fail = reject;
    });
    // Nobody may write to it at all.
    this.#started.catch(() => {});
  }

  /** The program runs. */
  attach(pipe: Writable): void {
    // A program may end without reading: who writes then learns of it.
    pipe.on("error", () => {});
    this.#start(pipe);
  }

  /** @throws `EPIPE` if the program closed its input, or ended */
  async write(bytes: Buffer, ends: boolean): Promise<void> {
    if (this.#writes) throw busy("a program takes one part of its input at a time");
    this.#writes = true;
    try {
      const pipe = await this.#started;
      await new Promise<void>((resolve, reject) => {
        if (pipe.destroyed || pipe.writableEnded) {
          reject(ended());
          return;
        }
        const gone = (): void => reject(ended());
        pipe.once("close", gone);
        const done = (error?: Error | null): void => {
          pipe.off("close", gone);
          if (error) reject(ended());
          else resolve();
        };
        if (ends) pipe.end(bytes, () => done());
        else pipe.write(bytes, done);
      });
    } finally {
      this.#writes = false;
    }
  }

  /** The program runs with a closed input: whoever writes learns of it. */
  refuse(): void {
    this.#fail(ended());
  }

  /** The program is over, or never runs. */
  close(): void {
    this.#fail(ended());
    this.#forget();
  }
}

const inputs = new WeakMap<object, Map<number, ProgramInput>>();

/**
 * The input of a hook's own by a number that the hook chose: it may write before its program was allowed to run.
 *
 * @param hook whose it is
 */
export function inputOf(hook: object, number: number): ProgramInput {
  const mine = inputs.get(hook) ?? new Map<number, ProgramInput>();
  inputs.set(hook, mine);
  const known = mine.get(number);
  if (known) return known;
  if (mine.size >= MAX_INPUTS) throw busy(`a hook may write to ${MAX_INPUTS} programs at once`);
  const input = new ProgramInput(() => mine.delete(number));
  mine.set(number, input);
  return input;
}
