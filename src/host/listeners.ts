import type { Hook } from "../session/hook.ts";
import { type HookInfo, infoOf } from "../session/hook-info.ts";
import type { Reporter } from "../session/reporter.ts";

/** Listeners to what hooks offer are called once in this time, in ms. */
const OFFERS_EVERY_MS = 100;

/** Those who listen to changes of hooks. */
export class Listeners {
  readonly #reporter: Reporter;
  readonly #toOffers = new Set<() => void>();
  readonly #toStates = new Set<(hook: HookInfo) => void>();
  #telling: NodeJS.Timeout | undefined;

  constructor(reporter: Reporter) {
    this.#reporter = reporter;
  }

  /** Listens to changes of hooks' states. Returns the function that ends the subscription. */
  onState(listener: (hook: HookInfo) => void): () => void {
    this.#toStates.add(listener);
    return () => this.#toStates.delete(listener);
  }

  /** Listens to changes of what hooks offer. Returns the function that ends the subscription. */
  onOffers(listener: () => void): () => void {
    this.#toOffers.add(listener);
    return () => this.#toOffers.delete(listener);
  }

  /** A hook's state changed. */
  stateOf(hook: Hook): void {
    for (const listener of this.#toStates) this.#reporter.tell(() => listener(infoOf(hook)));
  }

  /** What hooks offer changed. A hook may register a hundred things at once, or one again and again: listeners hear of it once. */
  offers(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      for (const listener of this.#toOffers) this.#reporter.tell(listener);
    }, OFFERS_EVERY_MS).unref();
  }

  close(): void {
    clearTimeout(this.#telling);
  }
}
