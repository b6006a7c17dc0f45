/** `crypto.Hash` and `crypto.Hmac`. */
import { hmac } from "@noble/hashes/hmac.js";
import { PIECE_BYTES } from "../realm/conversions.ts";
import { Buffer } from "./buffer.ts";
import { type Hash, knownHash } from "./crypto-hashes.ts";
import { fault, wrongType } from "./fault.ts";
import { host } from "./host.ts";

export type Data = string | ArrayBufferView;

/** A digest under way. */
interface Digesting {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
  clone(): Digesting;
}

/**
 * How many bytes OpenSSL gets: the sandbox process loads it, which takes as long as to hash the least here; and more than the most is
 * not kept.
 */
const LEAST = 16 * 1024;
const MOST = 6 * 1024 * 1024;

/** Parts that are kept apart. */
const MAX_PARTS = 1000;

function algorithm(name: string): readonly [name: string, hash: Hash] {
  const known = knownHash(name);
  if (!known) throw fault(Error, "ERR_CRYPTO_INVALID_DIGEST", `Digest method not supported: ${name}`);
  return known;
}

export function bytesOf(data: Data, encoding?: string): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, encoding ?? "utf8");
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  throw wrongType("data", "of type string or an instance of Buffer, TypedArray, or DataView");
}

/** Keeps what is to be hashed, for OpenSSL if that is much. What is too much to keep is hashed here, as it comes. */
class Digest {
  readonly #name: string;
  readonly #create: () => Digesting;
  readonly #key: string | undefined;
  #parts: Uint8Array[] = [];
  #length = 0;
  #here: Digesting | undefined;
  #ended = false;

  constructor(name: string, create: () => Digesting, key?: string) {
    this.#name = name;
    this.#create = create;
    this.#key = key;
  }

  update(data: Data, encoding?: string): this {
    this.#check();
    // The caller may change its bytes.
    const bytes = new Uint8Array(bytesOf(data, encoding));
    if (this.#here) {
      this.#here.update(bytes);
      return this;
    }
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#parts.length === MAX_PARTS) this.#parts = [Buffer.concat(this.#parts)];
    if (this.#length > MOST) this.#hashHere();
    return this;
  }

  digest(encoding?: string): string | Buffer {
    this.#check();
    this.#ended = true;
    const bytes = this.#byOpenSsl() ?? Buffer.from(this.#hashHere().digest());
    return encoding === undefined || encoding === "buffer" ? bytes : bytes.toString(encoding);
  }

  copy(): Digest {
    this.#check();
    const copy = new Digest(this.#name, this.#create, this.#key);
    copy.#parts = [...this.#parts];
    copy.#length = this.#length;
    copy.#here = this.#here?.clone();
    return copy;
  }

  #byOpenSsl(): Buffer | undefined {
    if (this.#here || this.#length < LEAST) return undefined;
    const [first] = this.#parts;
    const whole = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    const begins = { hash: this.#name, ...(this.#key === undefined ? {} : { key: this.#key }) };
    for (let at = 0; ; at += PIECE_BYTES) {
      const data = whole.subarray(at, at + PIECE_BYTES).toBase64();
      const ends = at + PIECE_BYTES >= whole.length;
      const answer = host.derive({ ...(at === 0 ? { begins } : {}), data, ends });
      if (answer === "") return undefined;
      if (ends) return Buffer.from(answer, "hex");
    }
  }

  #hashHere(): Digesting {
    this.#here ??= this.#create();
    for (const part of this.#parts) this.#here.update(part);
    this.#parts = [];
    return this.#here;
  }

  #check(): void {
    if (this.#ended) throw fault(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
  }
}

export function createHash(name: string): Digest {
  const [known, hash] = algorithm(name);
  return new Digest(known, () => hash.create());
}

export function createHmac(name: string, key: Data): Digest {
  const [known, hash] = algorithm(name);
  const secret = new Uint8Array(bytesOf(key));
  return new Digest(known, () => hmac.create(hash, secret), secret.toHex());
}

export const hash = (name: string, data: Data, encoding = "hex"): string | Buffer =>
  createHash(name).update(data).digest(encoding);
