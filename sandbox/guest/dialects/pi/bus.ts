import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { describe, failure } from "../../core/outcome.ts";
import { apply, forHook, settle } from "../../core/primordials.ts";

/** Most listeners of one bundle, on all channels. */
const MAX_LISTENERS = 1000;

type Listener = (data: unknown) => unknown;

/**
 * pi's bus. The listeners of this bundle hear what it emits itself; other bundles hear it on channels that both were
 * granted. A listener that fails is reported, and the others hear the message.
 */
export class Bus {
  readonly #environment: GuestEnvironment;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Channels on which a call of the hook's was wrong: told once. */
  readonly #told = new Set<string>();
  #count = 0;

  constructor(environment: GuestEnvironment) {
    this.#environment = environment;
  }

  get api(): object {
    return Object.freeze(
      forHook({
        on: (channel: unknown, listener: unknown) => this.#on(String(channel), listener),
        emit: (channel: unknown, data: unknown) => this.#emit(String(channel), data),
      }),
    );
  }

  /** The listeners of a channel now. */
  listenersOf(channel: string): readonly Listener[] {
    return [...(this.#listeners.get(channel) ?? [])];
  }

  #on(channel: string, listener: unknown): () => void {
    if (typeof listener !== "function") throw new TypeError("pi.events.on takes a function");
    if (this.#count >= MAX_LISTENERS) throw new RangeError(`a hook may have ${MAX_LISTENERS} listeners`);
    const known = this.#listeners.get(channel) ?? new Set();
    if (known.size === 0) this.#ask("bus.listen", channel);
    const own: Listener = (data) => apply(listener, undefined, [data]);
    this.#listeners.set(channel, known.add(own));
    this.#count++;
    return () => {
      if (known.delete(own)) this.#count--;
    };
  }

  #emit(channel: string, data: unknown): void {
    this.#ask("bus.emit", channel, data);
    for (const listener of this.listenersOf(channel)) {
      try {
        settle(
          listener(data),
          () => {},
          (thrown) => this.#failed(channel, thrown),
        );
      } catch (thrown) {
        this.#failed(channel, thrown);
      }
    }
  }

  /** Other bundles may be there or not: nobody waits. The host reports a refusal; what was wrong in the call is told here. */
  #ask(operation: "bus.listen" | "bus.emit", channel: string, ...data: unknown[]): void {
    const asked = this.#environment.remote.call(operation, 0, [channel, ...data]);
    settle(
      asked,
      () => {},
      (thrown) => {
        const { code, message } = describe(thrown);
        if (code === "NOT_GRANTED" || this.#told.has(channel)) return;
        this.#told.add(channel);
        this.#log(`pi.events reaches no other hook on this channel: ${message}`);
      },
    );
  }

  #failed(channel: string, thrown: unknown): void {
    this.#log(`a listener of pi.events on ${channel} failed: ${describe(thrown).message}`);
  }

  #log(text: string): void {
    this.#environment.port.message({ t: "log", level: "error", text });
  }
}

/** Brings a message of another bundle to the listeners of this one. */
export class BusChain extends HandlerChain<Listener> {
  readonly #data: unknown;

  constructor(bus: Bus, dispatch: Dispatch) {
    const { channel, data } = dispatch.event as { channel?: unknown; data?: unknown };
    if (typeof channel !== "string") throw failure("BAD_RESULT", "a message without a channel");
    super(bus.listenersOf(channel), dispatch);
    this.#data = data;
  }

  protected override call(at: number): unknown {
    return this.links[at]?.(this.#data);
  }

  protected override take(): boolean {
    return false;
  }
}
