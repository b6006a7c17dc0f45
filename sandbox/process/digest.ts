import type * as crypto from "node:crypto";
import { MAX_PIECE } from "../wire/conversions.ts";
import { type DigestRequest, MORE } from "../wire/derivation.ts";

/** Of Node's `crypto`. */
export type Digests = Pick<typeof crypto, "createHash" | "createHmac">;

/** The digest that a hook has begun: OpenSSL makes it a hundred times as fast as an isolate without a JIT. */
export class Digest {
  private begun: crypto.Hash | crypto.Hmac | undefined;

  /**
   * Takes a piece. Returns the digest as hexadecimal text after the last one, and {@link MORE} after others. Returns an empty text for a
   * piece that is too long, or of a digest that was not begun. Throws what OpenSSL says.
   */
  add({ createHash, createHmac }: Digests, { begins, data, ends }: DigestRequest): string {
    const before = this.begun;
    this.begun = undefined;
    if (data.length > MAX_PIECE) return "";
    const digest = begins
      ? begins.key === undefined
        ? createHash(begins.hash)
        : createHmac(begins.hash, Buffer.from(begins.key, "hex"))
      : before;
    if (!digest) return "";
    digest.update(data, "base64");
    if (ends) return digest.digest("hex");
    this.begun = digest;
    return MORE;
  }
}
