/** Keys of ed25519 and x25519, as `node:crypto` reads and writes them: PEM, DER and JWK. */
import { Buffer } from "./buffer.ts";
import { fault, unavailable, wrongType } from "./fault.ts";
import { host } from "./host.ts";
import { bytesOf } from "./wire-data.ts";

export type Curve = "ed25519" | "x25519";

/** What DER has before the 32 bytes of a key. */
const HEADS = {
  private: { ed25519: "302e020100300506032b657004220420", x25519: "302e020100300506032b656e04220420" },
  public: { ed25519: "302a300506032b6570032100", x25519: "302a300506032b656e032100" },
} as const;
const KEY_BYTES = 32;

const KEY = Symbol("made by crypto");

type Encoding = { format?: string; type?: string } | undefined;

const hexOf = (bytes: Uint8Array): string => bytes.toHex();
const fromHex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));
const base64Url = (bytes: Uint8Array): string => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Node's `KeyObject` of these two curves. */
export class KeyObject {
  readonly type: "private" | "public";
  readonly asymmetricKeyType: Curve;
  readonly #bytes: Uint8Array;

  constructor(key: symbol, type: "private" | "public", curve: Curve, bytes: Uint8Array) {
    if (key !== KEY)
      throw unavailable("crypto.KeyObject is not offered to hooks: createPrivateKey and createPublicKey are");
    this.type = type;
    this.asymmetricKeyType = curve;
    this.#bytes = bytes;
  }

  get asymmetricKeyDetails(): object {
    return {};
  }

  equals(other: unknown): boolean {
    if (!(other instanceof KeyObject)) throw wrongType("otherKeyObject", "an instance of KeyObject");
    return (
      this.type === other.type && this.asymmetricKeyType === other.asymmetricKeyType && hexKey(this) === hexKey(other)
    );
  }

  export(encoding: Encoding = {}): unknown {
    const { format, type } = encoding;
    const wanted = this.type === "private" ? "pkcs8" : "spki";
    if (format === "jwk") return this.#jwk();
    if (type !== wanted)
      throw fault(
        TypeError,
        "ERR_INVALID_ARG_VALUE",
        `The property 'options.type' is invalid. Received ${String(type)}`,
      );
    const head = fromHex(HEADS[this.type][this.asymmetricKeyType]);
    const der = Buffer.concat([head, this.#bytes]);
    if (format === "der") return der;
    if (format !== "pem")
      throw fault(
        TypeError,
        "ERR_INVALID_ARG_VALUE",
        `The property 'options.format' is invalid. Received ${String(format)}`,
      );
    const label = this.type === "private" ? "PRIVATE KEY" : "PUBLIC KEY";
    return `-----BEGIN ${label}-----\n${der.toBase64()}\n-----END ${label}-----\n`;
  }

  static bytesOf(key: KeyObject): Uint8Array {
    return key.#bytes;
  }

  #jwk(): object {
    const crv = this.asymmetricKeyType === "ed25519" ? "Ed25519" : "X25519";
    const isPrivate = this.type === "private";
    const x = base64Url(isPrivate ? KeyObject.bytesOf(publicOf(this)) : this.#bytes);
    return { crv, ...(isPrivate ? { d: base64Url(this.#bytes) } : {}), x, kty: "OKP" };
  }
}

/** The 32 bytes of a key as hexadecimal text. */
export const hexKey = (key: KeyObject): string => hexOf(KeyObject.bytesOf(key));

const made = (type: "private" | "public", curve: Curve, bytes: Uint8Array): KeyObject =>
  new KeyObject(KEY, type, curve, bytes);

export function publicOf(key: KeyObject): KeyObject {
  if (key.type === "public") return key;
  const { asymmetricKeyType: curve } = key;
  const bytes = host.derive({ curve, act: "public", secret: hexKey(key), other: "", data: "", signature: "" });
  return made("public", curve, fromHex(bytes));
}

export const newKey = (curve: Curve): KeyObject => made("private", curve, fromHex(host.random(KEY_BYTES)));

const others = (): Error => unavailable("crypto: of asymmetric keys those of ed25519 and x25519 are offered to hooks");

/** A key from what Node takes for one. `pkcs8` and `spki` with another length than those of these curves are other keys. */
function keyOf(given: unknown): KeyObject {
  if (given instanceof KeyObject) return given;
  const options =
    typeof given === "object" && given !== null && "key" in given
      ? (given as { key: unknown; format?: string; passphrase?: unknown })
      : undefined;
  if (options?.passphrase !== undefined) throw unavailable("crypto: encrypted keys are not offered to hooks");
  const key = options ? options.key : given;
  if (key instanceof KeyObject) return key;
  if (options?.format === "jwk") return fromJwk(key as Record<string, unknown>);
  const bytes = bytesOf(key);
  if (!bytes)
    throw wrongType("key", "of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, or KeyObject");
  if (options?.format === "der") return fromDer(bytes);
  const text = Buffer.from(bytes).toString();
  const found = /-----BEGIN (?:PRIVATE|PUBLIC) KEY-----\s+([A-Za-z0-9+/=\s]+?)-----END/.exec(text);
  if (!found && /-----BEGIN/.test(text)) throw others();
  if (!found) throw fault(Error, "ERR_OSSL_UNSUPPORTED", "error:1E08010C:DECODER routines::unsupported");
  return fromDer(Buffer.from((found[1] as string).replace(/\s/g, ""), "base64"));
}

function fromDer(der: Uint8Array): KeyObject {
  const head = hexOf(der.subarray(0, Math.max(0, der.length - KEY_BYTES)));
  for (const type of ["private", "public"] as const)
    for (const curve of ["ed25519", "x25519"] as const)
      if (head === HEADS[type][curve]) return made(type, curve, Uint8Array.from(der.subarray(-KEY_BYTES)));
  throw others();
}

function fromJwk({ kty, crv, d, x }: Record<string, unknown>): KeyObject {
  if (kty !== "OKP" || (crv !== "Ed25519" && crv !== "X25519")) throw others();
  const curve = crv === "Ed25519" ? "ed25519" : "x25519";
  const text = d ?? x;
  const bytes = typeof text === "string" ? new Uint8Array(Buffer.from(text, "base64")) : undefined;
  if (bytes?.length !== KEY_BYTES) throw fault(TypeError, "ERR_CRYPTO_INVALID_JWK", "Invalid JWK data");
  return made(d === undefined ? "public" : "private", curve, bytes);
}

export function createPrivateKey(given: unknown): KeyObject {
  const key = keyOf(given);
  if (key.type === "private" && key !== given) return key;
  if (key === given)
    throw wrongType("key", "of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView");
  throw fault(Error, "ERR_OSSL_UNSUPPORTED", "error:1E08010C:DECODER routines::unsupported");
}

export function createPublicKey(given: unknown): KeyObject {
  const key = keyOf(given);
  if (key === given && key.type === "public")
    throw fault(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type public, expected private.");
  return publicOf(key);
}

/** A private key, from whatever Node's functions take for one. */
export function privateFrom(given: unknown): KeyObject {
  const key = keyOf(given);
  if (key.type !== "private")
    throw fault(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type public, expected private.");
  return key;
}

/** A public key; that of a private one, as in Node. */
export const publicFrom = (given: unknown): KeyObject => publicOf(keyOf(given));
