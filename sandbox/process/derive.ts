import type { CurveRequest, Derivation, DigestRequest } from "../wire/derivation.ts";
import { readJson } from "../wire/read-json.ts";
import { type Curves, onCurve } from "./curves.ts";
import type { Digest, Digests } from "./digest.ts";

/** Longest key, and most memory of `scrypt`: the limit of the process leaves more. */
const MAX_KEY_BYTES = 64 * 1024;
const MAX_SCRYPT_BYTES = 64 * 1024 * 1024;

/** Of Node's `crypto`. */
export interface Kdf {
  pbkdf2Sync(password: Buffer, salt: Buffer, iterations: number, length: number, digest: string): Buffer;
  scryptSync(
    password: Buffer,
    salt: Buffer,
    length: number,
    options: { N: number; r: number; p: number; maxmem: number },
  ): Buffer;
}

/**
 * Derives a key from a password with OpenSSL, or makes a digest: without a JIT an isolate would take a thousand times as long. It
 * takes time of this process, which the host measures and limits.
 *
 * @param text JSON of a {@link Derivation}, a {@link CurveRequest} or a {@link DigestRequest}, from a hook
 * @param digest of that hook's isolate
 * @returns the key, or what came of it, as hexadecimal text; empty if OpenSSL refuses
 */
export function derive(kdf: Kdf & Curves & Digests, text: string, digest: Digest): string {
  try {
    const request: Derivation | CurveRequest | DigestRequest = readJson(text);
    if ("ends" in request) return digest.add(kdf, request);
    if ("curve" in request) return onCurve(kdf, request);
    const { password, salt, length, how } = request;
    if (!Number.isInteger(length) || length < 0 || length > MAX_KEY_BYTES) return "";
    const [secret, grain] = [Buffer.from(password, "hex"), Buffer.from(salt, "hex")];
    const key =
      "digest" in how
        ? kdf.pbkdf2Sync(secret, grain, how.iterations, length, how.digest)
        : kdf.scryptSync(secret, grain, length, {
            N: how.cost,
            r: how.blockSize,
            p: how.parallelization,
            maxmem: Math.min(how.most, MAX_SCRYPT_BYTES),
          });
    return key.toString("hex");
  } catch {
    return "";
  }
}
