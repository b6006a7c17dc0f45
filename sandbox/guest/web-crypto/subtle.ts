import { aes } from "./aes.ts";
import { type Algorithm, algorithmOf, blockBytes, bytesOf, hashOf, isAes, numberOf } from "./algorithms.ts";
import { bytesFor, type CryptoKey, keyOf, type Usage, usagesOf } from "./crypto-key.ts";
import { failed } from "./failures.ts";
import { derivedBits, digestOf, hmacOf, isSame } from "./hashes.ts";
import { readKey, writeKey } from "./key-data.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const NOT_OFFERED = ["wrapKey", "unwrapKey", "encapsulateBits", "encapsulateKey", "decapsulateBits", "decapsulateKey"];

/** What keys of an algorithm may be used for. */
const usable = ({ name }: Algorithm): Usage[] => {
  if (name === "HMAC") return ["sign", "verify"];
  return isAes(name) ? ["encrypt", "decrypt", "wrapKey", "unwrapKey"] : ["deriveKey", "deriveBits"];
};

/**
 * `crypto.subtle` with what needs no more than bytes: SHA, HMAC, AES, PBKDF2 and HKDF. All else rejects with a NotSupportedError. Its
 * promises settle after their work, which has nothing to wait for.
 */
export class SubtleCrypto {
  constructor(made?: symbol) {
    if (made !== MADE) throw new TypeError("Illegal constructor");
  }

  get [Symbol.toStringTag](): string {
    return "SubtleCrypto";
  }

  async digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
    return digestOf(hashOf(algorithm), bytesOf(data, "data")).buffer;
  }

  async importKey(
    format: unknown,
    data: unknown,
    given: unknown,
    extractable: unknown,
    usages: unknown,
  ): Promise<CryptoKey> {
    const algorithm = withHash(algorithmOf(given));
    const wanted = usagesOf(usages, usable(algorithm));
    const bytes = readKey(format, data, algorithm, Boolean(extractable), wanted);
    return made(bytes, algorithm, Boolean(extractable), wanted);
  }

  async exportKey(format: unknown, key: CryptoKey): Promise<unknown> {
    return writeKey(format, key);
  }

  async generateKey(given: unknown, extractable: unknown, usages: unknown): Promise<CryptoKey> {
    const algorithm = withHash(algorithmOf(given));
    const wanted = usagesOf(usages, usable(algorithm));
    if (algorithm.name === "PBKDF2" || algorithm.name === "HKDF")
      throw failed("NotSupportedError", `no key of ${algorithm.name} is generated: importKey makes one`);
    const bits = bitsOf(algorithm);
    if (bits === 0) throw failed("OperationError", "the length of a key cannot be 0");
    return made(crypto.getRandomValues(new Uint8Array(Math.ceil(bits / 8))), algorithm, Boolean(extractable), wanted);
  }

  async sign(given: unknown, key: CryptoKey, data: unknown): Promise<ArrayBuffer> {
    return hmac(algorithmOf(given), key, bytesOf(data, "data"), "sign").buffer;
  }

  async verify(given: unknown, key: CryptoKey, signature: unknown, data: unknown): Promise<boolean> {
    const claimed = bytesOf(signature, "signature");
    return isSame(hmac(algorithmOf(given), key, bytesOf(data, "data"), "verify"), claimed);
  }

  async encrypt(given: unknown, key: CryptoKey, data: unknown): Promise<ArrayBuffer> {
    return ciphered(given, key, data, "encrypt");
  }

  async decrypt(given: unknown, key: CryptoKey, data: unknown): Promise<ArrayBuffer> {
    return ciphered(given, key, data, "decrypt");
  }

  async deriveBits(given: unknown, key: CryptoKey, length: unknown = null): Promise<ArrayBuffer> {
    return derived(algorithmOf(given), key, length, "deriveBits").buffer;
  }

  async deriveKey(
    given: unknown,
    key: CryptoKey,
    wantedKey: unknown,
    extractable: unknown,
    usages: unknown,
  ): Promise<CryptoKey> {
    const algorithm = withHash(algorithmOf(wantedKey));
    const wanted = usagesOf(usages, usable(algorithm));
    const bits = isAes(algorithm.name) || algorithm.name === "HMAC" ? bitsOf(algorithm) : null;
    return made(derived(algorithmOf(given), key, bits, "deriveKey"), algorithm, Boolean(extractable), wanted);
  }
}

for (const name of NOT_OFFERED)
  Object.defineProperty(SubtleCrypto.prototype, name, {
    value: async () => {
      throw failed("NotSupportedError", `crypto.subtle.${name} is not offered to hooks`);
    },
    writable: true,
    configurable: true,
  });

const MADE = Symbol("made once");

export const subtle = new SubtleCrypto(MADE);

/** The parameters with which a key of HMAC is made name a hash. */
function withHash(algorithm: Algorithm): Algorithm {
  if (algorithm.name !== "HMAC") return algorithm;
  return { ...algorithm, hash: { name: hashOf(algorithm.hash) } };
}

/** Bits of a new key. */
function bitsOf(algorithm: Algorithm): number {
  if (algorithm.name === "HMAC" && algorithm.length === undefined) return 8 * blockBytes(hashOf(algorithm.hash));
  const bits = numberOf(algorithm, "length");
  if (isAes(algorithm.name) && ![128, 192, 256].includes(bits))
    throw failed("OperationError", "AES key length must be 128, 192, or 256 bits");
  return bits;
}

/** A key, if its bytes and usages fit its algorithm. */
function made(bytes: Bytes, algorithm: Algorithm, extractable: boolean, usages: readonly Usage[]): CryptoKey {
  const { name, hash } = algorithm;
  if (usages.length === 0) throw failed("SyntaxError", "Usages cannot be empty for a secret key");
  if (name === "PBKDF2" || name === "HKDF") {
    if (extractable) throw failed("SyntaxError", `${name} keys are not extractable`);
    return keyOf(bytes, { name }, false, usages);
  }
  const bits = bytes.length * 8;
  if (isAes(name)) {
    if (![128, 192, 256].includes(bits)) throw failed("DataError", "Invalid key length");
    return keyOf(bytes, { name, length: bits }, extractable, usages);
  }
  if (bits === 0) throw failed("DataError", "Zero-length key is not supported");
  const length = algorithm.length === undefined ? bits : numberOf(algorithm, "length");
  if (length > bits || length <= bits - 8) throw failed("DataError", "Invalid key length");
  return keyOf(bytes, { name, length, hash }, extractable, usages);
}

function hmac(algorithm: Algorithm, key: CryptoKey, data: Bytes, usage: "sign" | "verify"): Bytes {
  if (algorithm.name !== "HMAC") throw failed("NotSupportedError", `keys of ${algorithm.name} do not sign`);
  const bytes = bytesFor(key, algorithm, usage);
  return hmacOf(hashOf(key.algorithm.hash), bytes, data);
}

function ciphered(given: unknown, key: CryptoKey, data: unknown, usage: "encrypt" | "decrypt"): ArrayBuffer {
  const algorithm = algorithmOf(given);
  const { name } = algorithm;
  if (!isAes(name)) throw failed("NotSupportedError", `keys of ${name} do not encrypt`);
  const plain = bytesOf(data, "data");
  return aes({ ...algorithm, name }, bytesFor(key, algorithm, usage), plain, usage === "encrypt");
}

function derived(algorithm: Algorithm, key: CryptoKey, bits: unknown, usage: "deriveBits" | "deriveKey"): Bytes {
  if (algorithm.name !== "PBKDF2" && algorithm.name !== "HKDF")
    throw failed("NotSupportedError", `nothing is derived by ${algorithm.name}`);
  return derivedBits(algorithm, bytesFor(key, algorithm, usage), bits);
}
