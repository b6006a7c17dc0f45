import type { Algorithm } from "./algorithms.ts";
import { failed } from "./failures.ts";

/** In the order in which a key lists them. */
const USAGES = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"] as const;
export type Usage = (typeof USAGES)[number];

/** Known to this module alone: no other code makes a key. */
const MADE = Symbol("made by crypto.subtle");

/** A key of `crypto.subtle`. Its bytes are read by {@link CryptoKey.bytesOf} alone. */
export class CryptoKey {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #algorithm: Algorithm;
  readonly #extractable: boolean;
  readonly #usages: readonly Usage[];

  constructor(
    made: symbol,
    bytes: Uint8Array<ArrayBuffer>,
    algorithm: Algorithm,
    extractable: boolean,
    usages: readonly Usage[],
  ) {
    if (made !== MADE) throw new TypeError("Illegal constructor");
    this.#bytes = bytes;
    this.#algorithm = algorithm;
    this.#extractable = extractable;
    this.#usages = usages;
  }

  get type(): "secret" {
    return "secret";
  }
  get extractable(): boolean {
    return this.#extractable;
  }
  get algorithm(): Algorithm {
    return this.#algorithm;
  }
  get usages(): Usage[] {
    return [...this.#usages];
  }
  get [Symbol.toStringTag](): string {
    return "CryptoKey";
  }

  /** @throws TypeError for what is no key */
  static bytesOf(key: unknown): Uint8Array<ArrayBuffer> {
    if (!(key instanceof CryptoKey)) throw new TypeError("the key is not of type CryptoKey");
    return key.#bytes;
  }
}

export const keyOf = (
  bytes: Uint8Array<ArrayBuffer>,
  algorithm: Algorithm,
  extractable: boolean,
  usages: readonly Usage[],
): CryptoKey => new CryptoKey(MADE, bytes, algorithm, extractable, usages);

/** The bytes of a key, if it is for this algorithm and this use. */
export function bytesFor(key: CryptoKey, { name }: Algorithm, usage: Usage): Uint8Array<ArrayBuffer> {
  const bytes = CryptoKey.bytesOf(key);
  if (key.algorithm.name !== name) throw failed("InvalidAccessError", "Key algorithm mismatch");
  if (!key.usages.includes(usage)) throw failed("InvalidAccessError", `Unable to use this key to ${usage}`);
  return bytes;
}

/** What a key may be used for, of what its algorithm allows. */
export function usagesOf(given: unknown, allowed: readonly Usage[]): Usage[] {
  const wanted = Array.from(given as Iterable<unknown>, String);
  const unknown = wanted.find((one) => !(USAGES as readonly string[]).includes(one));
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is no usage of a key`);
  if (wanted.some((one) => !(allowed as readonly string[]).includes(one)))
    throw failed("SyntaxError", "Unsupported key usage for such a key");
  return USAGES.filter((one) => wanted.includes(one));
}
