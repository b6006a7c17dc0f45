import { RateLimit } from "../base/rate-limit.ts";
import { coveringText, type Part, partsOf } from "../grants/parts.ts";
import type { Capabilities } from "../grants/schema.ts";
import type { Asked } from "../powers/capability.ts";

/** Most requests of one hook of which the entry is kept, and the longest text of one. */
const MAX_KNOWN = 1000;
const MAX_VALUE = 1000;

/** Most entries of a power that are tried for one request. A grant with more names files one by one. */
const MAX_TRIED = 50;

/** Most requests of one hook in a minute of which the entry is looked for: it costs about as much as the check did. */
const MAX_LOOKED_FOR = 1000;

/**
 * Finds the entries of a hook's grant that cover what it does. A request that was made before costs one look-up. Of what a hook does
 * more often than can be looked for, the entry is not known.
 */
export class UsedEntries {
  #powers: Capabilities | undefined;
  readonly #parts = new Map<string, readonly Part[]>();
  readonly #known = new Map<string, string | undefined>();
  readonly #looked = new RateLimit();

  /**
   * @param operation of the request
   * @param power that it uses
   * @param value of the request, for the audit
   * @param powers which cover it
   */
  of(operation: string, power: string, value: string, asked: Asked, powers: Capabilities): string | undefined {
    // A grant that changes is a new object.
    if (this.#powers !== powers) {
      this.#powers = powers;
      this.#parts.clear();
      this.#known.clear();
    }
    const key = `${operation} ${value}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const parts = this.#partsOf(power, powers);
    if (parts.length > MAX_TRIED || !this.#looked.use(MAX_LOOKED_FOR)) return undefined;
    const covers = (some: object): boolean => asked.check(some) !== undefined;
    // What needs no grant uses none.
    const text = covers({}) ? undefined : coveringText(power, parts, covers);
    if (this.#known.size < MAX_KNOWN && value.length <= MAX_VALUE) this.#known.set(key, text);
    return text;
  }

  #partsOf(power: string, powers: Capabilities): readonly Part[] {
    const known = this.#parts.get(power) ?? partsOf(power, (powers as Readonly<Record<string, unknown>>)[power]);
    this.#parts.set(power, known);
    return known;
  }
}
