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

/** A digest that the sandbox process makes for a hook. */
export interface DigestRequest {
  readonly hash: string;
  /** In base64. */
  readonly data: string;
  /** For an HMAC, as hexadecimal text. */
  readonly key?: string;
}
