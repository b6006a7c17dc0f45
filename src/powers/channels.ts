/** A message on its way to a hook. */
export interface BusMessage {
  readonly channel: string;
  readonly data: unknown;
}

interface Listener {
  readonly channel: string;
  readonly hook: string;
  readonly over: AbortController;
}

/** Who listens on which channel of the bus between hooks. Only those who were granted a channel are here. */
export class Channels {
  readonly #listeners = new Set<Listener>();
  #deliver: (hook: string, message: BusMessage) => void = () => {};

  /** Sets what brings a message to a hook. */
  carriedBy(deliver: (hook: string, message: BusMessage) => void): void {
    this.#deliver = deliver;
  }

  /** Listens, in the place of an earlier time. Returns what is aborted to end it. */
  listen(channel: string, hook: string): AbortController {
    const known = [...this.#listeners].find((one) => one.channel === channel && one.hook === hook);
    known?.over.abort();
    const listener: Listener = { channel, hook, over: new AbortController() };
    this.#listeners.add(listener);
    listener.over.signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
    return listener.over;
  }

  /** Brings a message to all other hooks that listen. */
  emit(from: string, message: BusMessage): void {
    const listening = [...this.#listeners].filter(({ channel, hook }) => channel === message.channel && hook !== from);
    for (const hook of new Set(listening.map((one) => one.hook))) this.#deliver(hook, message);
  }
}
