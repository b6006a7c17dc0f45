/** The algorithms of `crypto.subtle` that hooks have, and their parameters as callers write them. */
import { failed } from "./failures.ts";

export type Aes = "AES-CBC" | "AES-CTR" | "AES-GCM";
export type Name = Aes | "HMAC" | "PBKDF2" | "HKDF";

/** Its `name` is as the standard writes it. */
export interface Algorithm {
  readonly name: Name;
  readonly [parameter: string]: unknown;
}

const NAMES: readonly Name[] = ["AES-CBC", "AES-CTR", "AES-GCM", "HMAC", "PBKDF2", "HKDF"];

/** OpenSSL's names of hashes, with the bytes of a block and of a digest. */
const HASHES = {
  "SHA-1": ["sha1", 64, 20],
  "SHA-256": ["sha256", 64, 32],
  "SHA-384": ["sha384", 128, 48],
  "SHA-512": ["sha512", 128, 64],
} as const;

export type HashName = keyof typeof HASHES;

export const openSslName = (hash: HashName): string => HASHES[hash][0];
export const blockBytes = (hash: HashName): number => HASHES[hash][1];
export const digestBytes = (hash: HashName): number => HASHES[hash][2];

export const isAes = (name: Name): name is Aes => name.startsWith("AES-");

/** As in the standard, the case of letters does not count. */
const named = <Known extends string>(known: readonly Known[], given: string): Known | undefined =>
  known.find((name) => name.toUpperCase() === given.toUpperCase());

function nameOf(given: unknown): string {
  const name = typeof given === "object" && given !== null ? (given as { name?: unknown }).name : given;
  if (name === undefined) throw new TypeError("an algorithm is a name, or an object with one");
  return String(name);
}

/** @throws NotSupportedError for an algorithm that hooks do not have */
export function algorithmOf(given: unknown): Algorithm {
  const name = nameOf(given);
  const known = named(NAMES, name);
  if (known === undefined)
    throw failed(
      "NotSupportedError",
      `${name} of crypto.subtle is not offered to hooks: ${NAMES.join(", ")}, and digests of SHA are`,
    );
  return typeof given === "object" ? { ...given, name: known } : { name: known };
}

/** The hash of a digest, or among the parameters of another algorithm. */
export function hashOf(given: unknown): HashName {
  const name = nameOf(given);
  const known = named(Object.keys(HASHES) as HashName[], name);
  if (known === undefined)
    throw failed("NotSupportedError", `${name} of crypto.subtle is not offered to hooks: SHA-1 and SHA-2 are`);
  return known;
}

/** A copy of bytes that the caller may change later. */
export function bytesOf(given: unknown, what: string): Uint8Array<ArrayBuffer> {
  if (ArrayBuffer.isView(given))
    return Uint8Array.from(new Uint8Array(given.buffer as ArrayBuffer, given.byteOffset, given.byteLength));
  if (given instanceof ArrayBuffer) return new Uint8Array(given.slice(0));
  throw new TypeError(`${what} must be an ArrayBuffer, a typed array or a DataView`);
}

/** A number among the parameters of an algorithm. */
export function numberOf(algorithm: Algorithm, name: string): number {
  const given = algorithm[name];
  if (given === undefined) throw new TypeError(`"${name}" is required`);
  const number = Math.trunc(Number(given));
  if (!(number >= 0 && number < 2 ** 32)) throw new TypeError(`"${name}" is out of range`);
  return number;
}
