import type { CurveRequest, Derivation } from "../wire/derivation.ts";
import { type Curves, onCurve } from "./curves.ts";

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
 * Derives a key from a password with OpenSSL: without a JIT an isolate would take a thousand times as long. It takes time of
 * this process, which the host measures and limits.
 *
 * @param text JSON of a {@link Derivation} or a {@link CurveRequest}, from a hook
 * @returns the key, or what came of it, as hexadecimal text; empty if OpenSSL refuses
 */
export function derive(kdf: Kdf & Curves, text: string): string {
  try {
    const request: Derivation | CurveRequest = JSON.parse(text);
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
