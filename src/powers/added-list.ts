import { CordonError } from "../base/errors.ts";

/** What a hook added to the agent. */
export interface Added<Value> {
  /** Id of the hook. */
  readonly hook: string;
  readonly name: string;
  readonly value: Value;
  /** Aborted when the hook has it no more. */
  readonly gone: AbortSignal;
}

/** With what ends it. */
interface Entry<Value> extends Added<Value> {
  readonly end: () => void;
}

/** What the hooks of a session added of one kind, as far as it was granted, in that order. A name is one hook's. */
export class AddedList<Value> {
  readonly #all = new Map<string, Entry<Value>>();
  readonly #kind: string;
  #changed: () => void = () => {};

  /** `kind`: as people read it. */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Sets what is called after each change. */
  whenChanged(changed: () => void): void {
    this.#changed = changed;
  }

  get all(): readonly Added<Value>[] {
    return [...this.#all.values()];
  }

  /** Adds one, in the place of an earlier one of the same hook. Throws for one of another hook. */
  add(hook: string, name: string, value: Value, most: number): Entry<Value> {
    const known = this.#all.get(name);
    if (known && known.hook !== hook) throw new Error(`another hook has the ${this.#kind} ${name}`);
    if (!known && this.all.filter((one) => one.hook === hook).length >= most)
      throw new CordonError("RATE_LIMITED", `a hook may have ${most} of the kind ${this.#kind}`);
    const gone = new AbortController();
    const end = (): void => {
      if (this.#all.get(name) !== entry) return;
      this.#all.delete(name);
      gone.abort();
      this.#changed();
    };
    const entry: Entry<Value> = { hook, name, value, gone: gone.signal, end };
    known?.end();
    this.#all.set(name, entry);
    this.#changed();
    return entry;
  }

  /** Ends one of this hook's. */
  remove(hook: string, name: string): void {
    const known = this.#all.get(name);
    if (known?.hook === hook) known.end();
  }
}
