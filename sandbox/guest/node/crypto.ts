/** The parts of `node:crypto` for hashes, HMAC, ciphers, keys from passwords, the curves ed25519 and x25519, random values and comparison. */
import { Buffer } from "./buffer.ts";
import { createCipheriv, createDecipheriv, getCiphers } from "./crypto-cipher.ts";
import { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from "./crypto-derive.ts";
import { bytesOf, createHash, createHmac, hash } from "./crypto-digest.ts";
import { getHashes } from "./crypto-hashes.ts";
import { createPrivateKey, createPublicKey, KeyObject } from "./crypto-keys.ts";
import { diffieHellman, generateKeyPair, generateKeyPairSync, sign, verify } from "./crypto-sign.ts";
import { fault, wrongType } from "./fault.ts";
import { host, notOffered } from "./host.ts";

const MAX_RANDOM = 65536;

export function randomBytes(size: number, callback?: (error: null, bytes: Buffer) => void): Buffer | undefined {
  if (!Number.isInteger(size) || size < 0 || size > 2 ** 31 - 1)
    throw fault(RangeError, "ERR_OUT_OF_RANGE", 'The value of "size" is out of range.');
  const parts: Buffer[] = [];
  for (let left = size; left > 0; left -= MAX_RANDOM)
    parts.push(Buffer.from(host.random(Math.min(left, MAX_RANDOM)), "hex"));
  const bytes = Buffer.concat(parts);
  if (!callback) return bytes;
  queueMicrotask(() => callback(null, bytes));
  return undefined;
}

type Filled = (error: null, into: ArrayBufferView) => void;

/** Fills a part of a buffer with random bytes: `size` of its elements from `offset` on. */
export function randomFillSync<View extends ArrayBufferView>(into: View, offset = 0, size?: number): View {
  if (!ArrayBuffer.isView(into)) throw wrongType("buf", "an instance of ArrayBuffer, Buffer, TypedArray, or DataView");
  const each = (into as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
  const outOfRange = (name: string): Error =>
    fault(RangeError, "ERR_OUT_OF_RANGE", `The value of "${name}" is out of range.`);
  const start = offset * each;
  if (!(start >= 0 && start <= into.byteLength)) throw outOfRange("offset");
  const length = size === undefined ? into.byteLength - start : size * each;
  if (!(length >= 0 && start + length <= into.byteLength)) throw outOfRange("size");
  bytesOf(into).set(randomBytes(Math.trunc(length)) as Buffer, Math.trunc(start));
  return into;
}

/** The same, which tells `callback`: the last argument. */
export function randomFill(into: ArrayBufferView, ...rest: (number | Filled)[]): void {
  const callback = rest.pop();
  if (typeof callback !== "function") throw wrongType("callback", "of type function");
  randomFillSync(into, ...(rest as number[]));
  queueMicrotask(() => callback(null, into));
}

export const webcrypto = crypto;
/** Left out where nobody names it: it is made when it is read. */
export const subtle = /* @__PURE__ */ (() => (crypto as unknown as { subtle: object }).subtle)();
export const randomUUID = (): string => crypto.randomUUID();
export const getRandomValues: typeof crypto.getRandomValues = (array) => crypto.getRandomValues(array);

/** A random integer from `min` (default: 0) up to, but not including, `max`. */
export function randomInt(min: number, max?: number): number {
  const [low, high] = max === undefined ? [0, min] : [min, max];
  const range = high - low;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || range <= 0 || range > 2 ** 48 - 1)
    throw fault(RangeError, "ERR_OUT_OF_RANGE", 'The value of "max" is out of range.');
  // Values above the last multiple of the range would make some numbers more likely than others.
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const value = Number.parseInt(host.random(6), 16);
    if (value < limit) return low + (value % range);
  }
}

export function timingSafeEqual(a: ArrayBufferView, b: ArrayBufferView): boolean {
  const [left, right] = [bytesOf(a), bytesOf(b)];
  if (left.length !== right.length)
    throw fault(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
  let different = 0;
  for (let at = 0; at < left.length; at++) different |= (left[at] as number) ^ (right[at] as number);
  return different === 0;
}

export const createSign = notOffered("crypto", "createSign", "sign(null, data, key) is, with keys of ed25519");
export const createVerify = notOffered(
  "crypto",
  "createVerify",
  "verify(null, data, key, signature) is, with keys of ed25519",
);

export {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPair,
  generateKeyPairSync,
  getCiphers,
  getHashes,
  hash,
  hkdf,
  hkdfSync,
  KeyObject,
  pbkdf2,
  pbkdf2Sync,
  scrypt,
  scryptSync,
  sign,
  verify,
};

export default {
  createHash,
  createHmac,
  hash,
  getHashes,
  randomBytes,
  randomFill,
  randomFillSync,
  webcrypto,
  get subtle() {
    return (crypto as unknown as { subtle: object }).subtle;
  },
  randomUUID,
  getRandomValues,
  randomInt,
  timingSafeEqual,
  createCipheriv,
  createDecipheriv,
  getCiphers,
  hkdf,
  hkdfSync,
  pbkdf2,
  scrypt,
  createSign,
  createVerify,
  pbkdf2Sync,
  scryptSync,
  KeyObject,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPair,
  generateKeyPairSync,
  sign,
  verify,
};
