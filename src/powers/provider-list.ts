import { CordonError } from "../base/errors.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** A provider that a hook adds to the agent. */
export interface AddedProvider {
  /** Id of the hook. */
  readonly hook: string;
  readonly name: string;
  readonly config: ProviderConfig;
  /** Aborted when the hook has it no more. */
  readonly gone: AbortSignal;
}

interface Entry extends AddedProvider {
  readonly end: () => void;
}

/** The providers that the hooks of a session added, as far as they were granted, in that order. */
export class ProviderList {
  readonly #all = new Map<string, Entry>();
  #changed: () => void = () => {};

  /** Sets what is called after each change. */
  whenChanged(changed: () => void): void {
    this.#changed = changed;
  }

  get all(): readonly AddedProvider[] {
    return [...this.#all.values()];
  }

  /** Adds one, in the place of an earlier one of the same hook. Returns what ends it. Throws for one of another hook. */
  add(hook: string, name: string, config: ProviderConfig, most: number): () => void {
    const known = this.#all.get(name);
    if (known && known.hook !== hook) throw new Error(`another hook has the provider ${name}`);
    if (!known && this.all.filter((one) => one.hook === hook).length >= most)
      throw new CordonError("RATE_LIMITED", `a hook may have ${most} providers`);
    const gone = new AbortController();
    const end = (): void => {
      if (this.#all.get(name) !== entry) return;
      this.#all.delete(name);
      gone.abort();
      this.#changed();
    };
    const entry: Entry = { hook, name, config, gone: gone.signal, end };
    known?.end();
    this.#all.set(name, entry);
    this.#changed();
    return end;
  }

  /** Ends a provider of this hook's. */
  remove(hook: string, name: string): void {
    const known = this.#all.get(name);
    if (known?.hook === hook) known.end();
  }
}
