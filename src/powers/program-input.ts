import type { Writable } from "node:stream";
import { CordonError } from "../base/errors.ts";

/** Inputs of one hook at once. Until a program runs, the host keeps a part of up to a megabyte for each. */
const MAX_INPUTS = 8;

const ended = (): Error => Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" });
const busy = (why: string): Error => new CordonError("RATE_LIMITED", why);

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

  /** @throws `RATE_LIMITED` while a part waits */
  checkFree(): void {
    if (this.#writes) throw busy("a program takes one part of its input at a time");
  }

  /** @throws `EPIPE` if the program closed its input, or ended */
  async write(bytes: Buffer, ends: boolean): Promise<void> {
    this.checkFree();
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
 * Opens the input of a program that a hook asks for, by a number that the hook chose: it may write before the program was
 * allowed to run. Until the program is over, or was refused, {@link inputOf} finds it.
 *
 * @param hook whose it is
 * @throws `RATE_LIMITED` for one too many
 */
export function openInput(hook: object, number: number): ProgramInput {
  const mine = inputs.get(hook) ?? new Map<number, ProgramInput>();
  inputs.set(hook, mine);
  if (mine.has(number)) throw new TypeError(`the input ${number} is another program's`);
  if (mine.size >= MAX_INPUTS) throw busy(`a hook may write to ${MAX_INPUTS} programs at once`);
  const input = new ProgramInput(() => mine.delete(number));
  mine.set(number, input);
  return input;
}

/** @throws `EPIPE` if the hook has no program with this input, or no more */
export function inputOf(hook: object, number: number): ProgramInput {
  const input = inputs.get(hook)?.get(number);
  if (!input) throw ended();
  return input;
}
