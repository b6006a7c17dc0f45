/** Digests, and what is made of them. The sandbox process has OpenSSL, without which an isolate takes a hundred times as long. */
import type { Derivation, DigestRequest } from "../../wire/derivation.ts";
import { host } from "../node/host.ts";
import { PIECE_BYTES } from "../realm/conversions.ts";
import { type Algorithm, bytesOf, digestBytes, type HashName, hashOf, numberOf, openSslName } from "./algorithms.ts";
import { failed } from "./failures.ts";

type Bytes = Uint8Array<ArrayBuffer>;

function asked(request: Derivation | DigestRequest): string {
  const answer = host.derive(request);
  if (answer === "") throw failed("OperationError", "The operation failed for an operation-specific reason");
  return answer;
}

function hashed(begins: NonNullable<DigestRequest["begins"]>, data: Bytes): Bytes {
  for (let at = 0; ; at += PIECE_BYTES) {
    const ends = at + PIECE_BYTES >= data.length;
    const piece = data.subarray(at, at + PIECE_BYTES).toBase64();
    const answer = asked({ ...(at === 0 ? { begins } : {}), data: piece, ends });
    if (ends) return Uint8Array.fromHex(answer);
  }
}

export const digestOf = (hash: HashName, data: Bytes): Bytes => hashed({ hash: openSslName(hash) }, data);

export const hmacOf = (hash: HashName, key: Bytes, data: Bytes): Bytes =>
  hashed({ hash: openSslName(hash), key: key.toHex() }, data);

export function isSame(one: Bytes, other: Bytes): boolean {
  let different = one.length ^ other.length;
  // Its time does not tell where they differ.
  for (let at = 0; at < one.length; at++) different |= (one[at] as number) ^ (other[at] ?? 0);
  return different === 0;
}

/** Bits of a password (PBKDF2) or of another key (HKDF). */
export function derivedBits(algorithm: Algorithm, secret: Bytes, bits: unknown): Bytes {
  const hash = hashOf(algorithm.hash);
  const salt = bytesOf(algorithm.salt, "salt");
  const derive = algorithm.name === "HKDF" ? expanding(algorithm, hash, salt) : stretching(algorithm, hash, salt);
  if (bits === null || bits === undefined) throw failed("OperationError", "length cannot be null");
  if (Number(bits) % 8 !== 0) throw failed("OperationError", "length must be a multiple of 8");
  return derive(secret, Number(bits) / 8);
}

function stretching(algorithm: Algorithm, hash: HashName, salt: Bytes) {
  const iterations = numberOf(algorithm, "iterations");
  if (iterations === 0) throw failed("OperationError", "iterations cannot be zero");
  const how = { digest: openSslName(hash), iterations };
  return (password: Bytes, length: number): Bytes =>
    length === 0
      ? new Uint8Array()
      : Uint8Array.fromHex(asked({ password: password.toHex(), salt: salt.toHex(), length, how }));
}

function expanding(algorithm: Algorithm, hash: HashName, salt: Bytes) {
  const info = bytesOf(algorithm.info, "info");
  return (secret: Bytes, length: number): Bytes => {
    const size = digestBytes(hash);
    if (length > 255 * size) throw failed("OperationError", "length exceeds the maximum derived bit length");
    const key = hmacOf(hash, salt, secret);
    const all: number[] = [];
    for (let count = 1, last = new Uint8Array(); all.length < length; count++) {
      last = hmacOf(hash, key, Uint8Array.from([...last, ...info, count]));
      all.push(...last);
    }
    return Uint8Array.from(all.slice(0, length));
  };
}
