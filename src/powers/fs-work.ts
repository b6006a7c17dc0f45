import { setImmediate as onNextTurn } from "node:timers";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { Turns } from "./turns.ts";

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

/**
 * Work in pieces of one hook that is under way at once: until its process takes the answers, the host keeps up to three copies of
 * each large file that is read.
 */
const MOST_AT_ONCE = 4;

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
  /** Of work in pieces. */
  readonly #places = new Turns(MOST_AT_ONCE);

  constructor(hook: Asking) {
    this.#hook = hook;
  }

  /** Resolves when a piece may begin. */
  async turn(signal: AbortSignal, blocks: boolean): Promise<void> {
    while (this.#missing > 0)
      await delay(Math.ceil((this.#missing * 1000) / MS_PER_SECOND), undefined, { signal, ref: false });
    for (;;) {
      if (this.#isReading(blocks)) await delay(READING_MS, undefined, { signal, ref: false });
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

  mustWait(blocks: boolean): boolean {
    return inThisTurn > SLICE_MS || this.#isReading(blocks) || this.#missing > 0;
  }

  /** A place for work in pieces, which what is returned leaves. What blocks its process needs none: it is one at a time. */
  place(signal: AbortSignal, blocks: boolean): (() => void) | Promise<() => void> {
    return blocks ? () => {} : (this.#places.takeNow() ?? this.#places.take(signal));
  }

  /** A process that blocks reads nothing before it has its answer. */
  #isReading(blocks: boolean): boolean {
    return !blocks && this.#hook.unread > MOST_UNREAD_BYTES;
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
 * aborted between two pieces: what `finally` says is done then. `blocks`: the hook's process reads nothing before it has the
 * answer.
 */
export async function inTurn<T>(
  hook: Asking,
  signal: AbortSignal,
  work: () => T | Pieces<T>,
  blocks = false,
): Promise<T> {
  const time = timeOf(hook);
  if (time.mustWait(blocks)) await time.turn(signal, blocks);
  const made = time.count(work);
  if (!isPieces(made)) return made;
  let isLong = false;
  const place = time.place(signal, blocks);
  // At once if it can be: what is short is done in this turn.
  let leave = typeof place === "function" ? place : await place;
  try {
    for (;;) {
      const step = time.count(() => made.next());
      if (step.done) {
        // What takes long has a large answer, which is sent in the rest of this turn.
        if (isLong) spent(SLICE_MS + 1);
        return step.value as T;
      }
      if (typeof step.value === "number") {
        // What rests may do so for a day.
        leave();
        await delay(step.value, undefined, { signal, ref: false });
        leave = await time.place(signal, blocks);
      } else if (step.value) {
        await time.elsewhere(step.value);
        signal.throwIfAborted();
      }
      if (time.mustWait(blocks)) {
        isLong = true;
        await time.turn(signal, blocks);
      }
    }
  } finally {
    leave();
    made.return(undefined as never);
  }
}
