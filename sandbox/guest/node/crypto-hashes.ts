/** The hashes of `node:crypto`, by their names. */
import { md5, ripemd160, sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { sha3_256, sha3_512 } from "@noble/hashes/sha3.js";

const HASHES = {
  md5,
  sha1,
  sha224,
  sha256,
  sha384,
  sha512,
  ripemd160,
  "sha3-256": sha3_256,
  "sha3-512": sha3_512,
};

export type Hash = (typeof HASHES)[keyof typeof HASHES];

export const getHashes = (): string[] => Object.keys(HASHES);

/** A hash with its own name: OpenSSL knows some with a hyphen, and in other letters, too. */
export function knownHash(name: string): readonly [name: string, hash: Hash] | undefined {
  const plain = String(name)
    .toLowerCase()
    .replace(/^sha-(\d+)$/, "sha$1");
  return Object.hasOwn(HASHES, plain) ? [plain, HASHES[plain as keyof typeof HASHES]] : undefined;
}
