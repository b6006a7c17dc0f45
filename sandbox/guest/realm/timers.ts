import { type AsyncFrame, asyncFrames } from "./async-frame.ts";

const { now } = Date;

/** Most active timers of a hook: far more than any real hook needs, and few enough for a list. */
const MAX_TIMERS = 1000;

/** What timers need from the runtime. */
export interface TimerHost {
  /** Reports a failure outside of any event, for example in a timer's callback. */
  failed(thrown: unknown): void;
  /** Asks for the next entry in `ms` milliseconds. A negative number cancels it. */
  wake(ms: number): void;
}

interface Timer {
  readonly id: number;
  readonly callback: (...args: unknown[]) => unknown;
  readonly args: unknown[];
  readonly ms: number;
  readonly repeats: boolean;
  readonly frame: AsyncFrame;
  due: number;
}

/** The return value of `setTimeout`: converts to a number, and has the methods of Node's `Timeout`. */
class Timeout {
  readonly #id: number;
  readonly #timers: Timers;

  constructor(id: number, timers: Timers) {
    this.#id = id;
    this.#timers = timers;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  refresh(): this {
    this.#timers.refresh(this.#id);
    return this;
  }
  close(): this {
    this.#timers.clear(this.#id);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.#id;
  }
}

/** The hook's timers. They share the isolate's only wake-up call. */
export class Timers {
  readonly #armed = new Map<number, Timer>();
  readonly #host: TimerHost;
  #lastId = 0;
  #wakeAt: number | undefined;

  constructor(host: TimerHost) {
    this.#host = host;
  }

  set(callback: unknown, delay: unknown, args: unknown[], repeat: boolean): Timeout {
    if (typeof callback !== "function") throw new TypeError("a timer's callback must be a function");
    if (this.#armed.size >= MAX_TIMERS)
      throw Object.assign(new Error(`a hook may have ${MAX_TIMERS} timers at once`), { code: "RATE_LIMITED" });
    const wait = Number(delay);
    const ms = wait >= 1 && wait <= 0x7fffffff ? Math.trunc(wait) : 1;
    const id = ++this.#lastId;
    this.#armed.set(id, {
      id,
      callback: callback as Timer["callback"],
      args,
      ms,
      repeats: repeat,
      frame: asyncFrames.current(),
      due: now() + ms,
    });
    this.#arm();
    return new Timeout(id, this);
  }

  clear(handle: unknown): void {
    if (this.#armed.delete(Number(handle))) this.#arm();
  }

  refresh(id: number): void {
    const timer = this.#armed.get(id);
    if (timer) timer.due = now() + timer.ms;
    this.#arm();
  }

  /** Runs the timers that are due. Errors of callbacks go to the host's error log, since nobody awaits them. */
  tick(): void {
    this.#wakeAt = undefined;
    const time = now();
    const due = [...this.#armed.values()]
      .filter((timer) => timer.due <= time)
      .sort((a, b) => a.due - b.due || a.id - b.id);
    for (const timer of due) {
      // A callback before it may have cleared or refreshed it.
      if (!this.#armed.has(timer.id) || timer.due > time) continue;
      if (timer.repeats) timer.due = time + timer.ms;
      else this.#armed.delete(timer.id);
      try {
        asyncFrames.run(timer.frame, timer.callback, undefined, timer.args);
      } catch (thrown) {
        this.#host.failed(thrown);
      }
    }
    this.#arm();
  }

  #arm(): void {
    let next: number | undefined;
    for (const timer of this.#armed.values()) if (next === undefined || timer.due < next) next = timer.due;
    if (next === this.#wakeAt) return;
    this.#wakeAt = next;
    this.#host.wake(next === undefined ? -1 : Math.max(0, next - now()));
  }
}
