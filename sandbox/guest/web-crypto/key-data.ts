/** The data of keys: their bytes (`raw`), or JSON (`jwk`). */
import { type Algorithm, bytesOf, isAes } from "./algorithms.ts";
import { CryptoKey, type Usage } from "./crypto-key.ts";
import { failed } from "./failures.ts";

type Jwk = Readonly<Record<string, unknown>>;
type Bytes = Uint8Array<ArrayBuffer>;

const OTHERS = ["pkcs8", "spki", "raw-secret", "raw-public", "raw-private", "raw-seed"];

/** What JWK calls the algorithm of a key of so many bytes. */
function jwkName({ name, hash }: Algorithm, bytes: number): string {
  if (isAes(name)) return `A${bytes * 8}${name.slice("AES-".length)}`;
  return `HS${(hash as { name: string }).name.slice("SHA-".length)}`;
}

/** The bytes in the data of a key that is to be used so. */
export function readKey(
  format: unknown,
  data: unknown,
  algorithm: Algorithm,
  extractable: boolean,
  usages: readonly Usage[],
): Bytes {
  checkFormat(format, algorithm);
  return format === "raw" ? bytesOf(data, "keyData") : fromJwk(data, algorithm, extractable, usages);
}

function checkFormat(format: unknown, { name }: Algorithm): void {
  if (format === "raw" || (format === "jwk" && name !== "PBKDF2" && name !== "HKDF")) return;
  if (format !== "jwk" && !OTHERS.includes(String(format))) throw new TypeError(`"${String(format)}" is no KeyFormat`);
  throw failed("NotSupportedError", `crypto.subtle has no keys of ${name} in the format ${String(format)} for hooks`);
}

function fromJwk(data: unknown, algorithm: Algorithm, extractable: boolean, usages: readonly Usage[]): Bytes {
  const wrong = (message: string): Error => failed("DataError", message);
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data) || data instanceof ArrayBuffer)
    throw wrong("Invalid keyData");
  const { kty, k, use, key_ops: ops, ext, alg } = data as Jwk;
  if (kty !== "oct") throw wrong('Invalid JWK "kty" Parameter');
  if (use !== undefined && use !== (isAes(algorithm.name) ? "enc" : "sig")) throw wrong('Invalid JWK "use" Parameter');
  if (ops !== undefined) {
    if (!Array.isArray(ops)) throw new TypeError("key_ops is a list");
    if (new Set(ops).size < ops.length) throw wrong("Duplicate key operation");
    if (usages.some((one) => !ops.includes(one))) throw wrong("Key operations and usage mismatch");
  }
  if (ext === false && extractable) throw wrong('JWK "ext" Parameter and extractable mismatch');
  if (typeof k !== "string") throw wrong("Invalid keyData");
  let bytes: Bytes;
  try {
    bytes = Uint8Array.fromBase64(k, { alphabet: "base64url" });
  } catch {
    throw wrong("Invalid keyData");
  }
  if (alg !== undefined && alg !== jwkName(algorithm, bytes.length))
    throw wrong('JWK "alg" does not match the requested algorithm');
  return bytes;
}

export function writeKey(format: unknown, key: CryptoKey): ArrayBuffer | Jwk {
  const bytes = CryptoKey.bytesOf(key);
  const { name } = key.algorithm;
  checkFormat(format, key.algorithm);
  if (name === "PBKDF2" || name === "HKDF") throw failed("NotSupportedError", `keys of ${name} are not exported`);
  if (!key.extractable) throw failed("InvalidAccessError", "key is not extractable");
  if (format === "raw") return Uint8Array.from(bytes).buffer;
  return {
    key_ops: key.usages,
    ext: true,
    kty: "oct",
    k: bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    alg: jwkName(key.algorithm, bytes.length),
  };
}
