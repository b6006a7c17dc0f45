import { setImmediate as onNextTurn } from "node:timers";
import { setTimeout as delay, setImmediate } from "node:timers/promises";

/**
 * Work on files in pieces: each step is one, and others have a turn between two of them. A number says how long to rest before
 * the next, in ms; a function does a piece on another thread, and does not reject.
 */
export type Pieces<T> = Generator<number | (() => Promise<void>) | undefined, T, void>;

/** A piece that is done on another thread, whatever comes of it. */
export function* elsewhere<T>(act: () => Promise<T>): Pieces<T> {
  let ended: PromiseSettledResult<T> | undefined;
  yield async () => {
    [ended] = await Promise.allSettled([act()]);
  };
  if (ended?.status === "fulfilled") return ended.value;
  throw (ended as PromiseRejectedResult).reason;
}

/** File work of all hooks, in ms, before the agent's own work gets its turn. */
const SLICE_MS = 5;
/** Of one hook, in ms of the host's time: at once, and in each second. Who wants more waits. */
const BURST_MS = 1500;
const MS_PER_SECOND = 100;
/** Of answers that the hook's process has not read yet. Until it has, nothing more is read for it. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;
const READING_MS = 2;

/** Who file work is done for. */
export interface Asking {
  /** Bytes of answers that its process has not read yet. */
  readonly unread: number;
}

/** Since the agent's last turn, in ms. */
let inThisTurn = 0;

function spent(ms: number): void {
  if (inThisTurn === 0)
    onNextTurn(() => {
      inThisTurn = 0;
    });
  inThisTurn += ms;
}

/** What one hook's file work has taken of the host's time. */
class FileTime {
  #left = BURST_MS;
  #at = performance.now();
  #elsewhere: Promise<void> = Promise.resolve();
  readonly #hook: Asking;

  constructor(hook: Asking) {
    this.#hook = hook;
  }

  /** Resolves when a piece may begin. */
  async turn(signal: AbortSignal): Promise<void> {
    while (this.#missing > 0)
      await delay(Math.ceil((this.#missing * 1000) / MS_PER_SECOND), undefined, { signal, ref: false });
    for (;;) {
      if (this.#isReading) await delay(READING_MS, undefined, { signal, ref: false });
      else if (inThisTurn > SLICE_MS) await setImmediate();
      else break;
    }
    signal.throwIfAborted();
  }

  /** Does a piece, and counts its time. */
  count<T>(piece: () => T): T {
    const started = performance.now();
    try {
      return piece();
    } finally {
      const ms = performance.now() - started;
      this.#left -= ms;
      spent(ms);
    }
  }

  /** Does a piece on another thread, and counts its time. One at a time: the agent needs these threads, too. */
  async elsewhere(piece: () => Promise<void>): Promise<void> {
    const before = this.#elsewhere;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#elsewhere = promise;
    await before;
    const started = performance.now();
    await piece();
    this.#left -= performance.now() - started;
    resolve();
  }

  get mustWait(): boolean {
    return inThisTurn > SLICE_MS || this.#isReading || this.#missing > 0;
  }

  get #isReading(): boolean {
    return this.#hook.unread > MOST_UNREAD_BYTES;
  }

  /** Time that the hook has had too much of, in ms. */
  get #missing(): number {
    const now = performance.now();
    this.#left = Math.min(BURST_MS, this.#left + ((now - this.#at) * MS_PER_SECOND) / 1000);
    this.#at = now;
    return Math.max(0, -this.#left);
  }
}

const times = new WeakMap<Asking, FileTime>();

function timeOf(hook: Asking): FileTime {
  const known = times.get(hook) ?? new FileTime(hook);
  times.set(hook, known);
  return known;
}

const isPieces = (made: unknown): made is Pieces<unknown> =>
  typeof (made as Pieces<unknown> | null)?.next === "function";

/**
 * Does a hook's file work, at once or in {@link Pieces}, when it is its turn. Rejects with the reason of `signal` once that is
 * aborted between two pieces: what `finally` says is done then.
 */
export async function inTurn<T>(hook: Asking, signal: AbortSignal, work: () => T | Pieces<T>): Promise<T> {
  const time = timeOf(hook);
  if (time.mustWait) await time.turn(signal);
  const made = time.count(work);
  if (!isPieces(made)) return made;
  let isLong = false;
  for (;;) {
    const step = time.count(() => made.next());
    if (step.done) {
      // What takes long has a large answer, which is sent in the rest of this turn.
      if (isLong) spent(SLICE_MS + 1);
      return step.value as T;
    }
    try {
      if (typeof step.value === "number") await delay(step.value, undefined, { signal, ref: false });
      else if (step.value) {
        await time.elsewhere(step.value);
        signal.throwIfAborted();
      }
      if (time.mustWait) {
        isLong = true;
        await time.turn(signal);
      }
    } catch (error) {
      made.return(undefined as never);
      throw error;
    }
  }
}
