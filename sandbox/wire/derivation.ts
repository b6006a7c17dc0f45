/** A key that a hook wants from a password, of the sandbox process. Bytes are hexadecimal text. */
export interface Derivation {
  readonly password: string;
  readonly salt: string;
  /** Bytes of the key. */
  readonly length: number;
  readonly how:
    | { readonly digest: string; readonly iterations: number }
    | {
        readonly cost: number;
        readonly blockSize: number;
        readonly parallelization: number;
        /** Most bytes of memory. */
        readonly most: number;
      };
}

/**
 * What the sandbox process does on a curve for a hook: a private key's public one, a signature, its check, an agreement. Keys
 * are their 32 bytes; all texts are hexadecimal.
 */
export interface CurveRequest {
  readonly curve: "ed25519" | "x25519";
  readonly act: "public" | "sign" | "verify" | "agree";
  readonly secret: string;
  readonly other: string;
  readonly data: string;
  readonly signature: string;
}

/** A piece of what the sandbox process hashes for a hook: one digest at a time for each isolate. */
export interface DigestRequest {
  /** It is the first piece. */
  readonly begins?: {
    readonly hash: string;
    /** For an HMAC, as hexadecimal text. */
    readonly key?: string;
  };
  /** In base64, of at most `MAX_PIECE` characters. */
  readonly data: string;
  /** Whether it is the last piece, which is answered with the digest. */
  readonly ends: boolean;
}

/** The answer to a piece that is not the last. */
export const MORE = "more";
