/** `createCipheriv` and `createDecipheriv` of `node:crypto`. */
import { Buffer } from "./buffer.ts";
import type { AuthenticatedMode } from "./crypto-authenticated.ts";
import type { Mode } from "./crypto-blocks.ts";
import { ChaCha20Poly1305 } from "./crypto-chacha.ts";
import { Gcm } from "./crypto-gcm.ts";
import { Cbc, Ctr } from "./crypto-modes.ts";
import { fault, wrongType } from "./fault.ts";
import { bytesOf, inEncoding } from "./wire-data.ts";

interface Cipher {
  readonly keyLength: number;
  readonly mode: "cbc" | "ctr" | "gcm" | "stream";
}

const CIPHERS: ReadonlyMap<string, Cipher> = new Map<string, Cipher>([
  ...[16, 24, 32].flatMap((keyLength) =>
    (["cbc", "ctr", "gcm"] as const).map((mode) => [`aes-${keyLength * 8}-${mode}`, { keyLength, mode }] as const),
  ),
  ["aes128", { keyLength: 16, mode: "cbc" }],
  ["aes192", { keyLength: 24, mode: "cbc" }],
  ["aes256", { keyLength: 32, mode: "cbc" }],
  ["chacha20-poly1305", { keyLength: 32, mode: "stream" }],
]);

export const getCiphers = (): string[] => [...CIPHERS.keys()];

interface Options {
  readonly authTagLength?: number;
}

function bytes(value: unknown, name: string, encoding?: string): Uint8Array {
  const found = bytesOf(value, encoding);
  if (!found) throw wrongType(name, "of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView");
  return Uint8Array.from(found);
}

const state = (operation: string): Error =>
  fault(Error, "ERR_CRYPTO_INVALID_STATE", `Invalid state for operation ${operation}`);
const badTag = (length: number): Error =>
  fault(TypeError, "ERR_CRYPTO_INVALID_AUTH_TAG", `Invalid authentication tag length: ${length}`);
const isTagLength = (length: unknown): boolean =>
  typeof length === "number" && [4, 8, 12, 13, 14, 15, 16].includes(length);

/** A mode, with the state that Node keeps beside it. */
class CipherBase {
  protected readonly mode: Mode;
  protected readonly authenticated: AuthenticatedMode | undefined;
  protected readonly tagLength: number | undefined;
  protected isOver = false;
  #hasBegun = false;
  #encoding: string | undefined;
  readonly #text = new TextDecoder("utf-8");
  #rest: Buffer = Buffer.from("");

  constructor(name: string, key: unknown, iv: unknown, options: Options | undefined, encrypts: boolean) {
    if (typeof name !== "string") throw wrongType("cipher", "of type string");
    const cipher = CIPHERS.get(name.toLowerCase());
    const keyBytes = bytes(key, "key");
    const ivBytes = iv === null ? undefined : bytes(iv, "iv");
    if (!cipher) throw fault(Error, "ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher");
    if (keyBytes.length !== cipher.keyLength)
      throw fault(RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
    const kind = cipher.mode;
    const length = ivBytes?.length ?? 0;
    const fits = kind === "gcm" ? length > 0 : length === (kind === "stream" ? 12 : 16);
    if (!ivBytes || !fits) throw fault(TypeError, "ERR_CRYPTO_INVALID_IV", "Invalid initialization vector");
    const tagLength = options?.authTagLength;
    if (tagLength !== undefined && (kind === "gcm" || kind === "stream")) {
      const known =
        kind === "gcm" ? isTagLength(tagLength) : Number.isInteger(tagLength) && tagLength > 0 && tagLength <= 16;
      if (!known) throw badTag(tagLength);
    }
    this.tagLength = tagLength;
    const authenticated =
      kind === "gcm"
        ? new Gcm(keyBytes, ivBytes, encrypts)
        : kind === "stream"
          ? new ChaCha20Poly1305(keyBytes, ivBytes, encrypts)
          : undefined;
    this.authenticated = authenticated;
    this.mode = authenticated ?? (kind === "cbc" ? new Cbc(keyBytes, ivBytes, encrypts) : new Ctr(keyBytes, ivBytes));
  }

  update(data: unknown, inputEncoding?: string, outputEncoding?: string): string | Buffer {
    const part = data instanceof ArrayBuffer ? undefined : bytesOf(data, inputEncoding);
    if (!part) throw wrongType("data", "of type string or an instance of Buffer, TypedArray, or DataView");
    if (this.isOver) throw new Error("Trying to add data in unsupported state");
    this.#hasBegun = true;
    return this.#output(this.mode.update(Uint8Array.from(part)), outputEncoding);
  }

  final(outputEncoding?: string): string | Buffer {
    if (this.isOver) throw fault(Error, "ERR_CRYPTO_INVALID_STATE", "Invalid state");
    this.isOver = true;
    return this.#output(this.mode.final(), outputEncoding, true);
  }

  setAutoPadding(pads = true): this {
    if (this.isOver) throw state("setAutoPadding");
    if (this.mode instanceof Cbc) this.mode.pads = pads;
    return this;
  }

  setAAD(data: unknown, options?: { encoding?: string }): this {
    const part = bytes(data, "buffer", options?.encoding);
    if (!this.authenticated || this.#hasBegun || this.isOver) throw state("setAAD");
    this.authenticated.setAad(part);
    return this;
  }

  /** Text of UTF-8 may be cut inside a character, which then comes with the next part. */
  #output(made: Uint8Array, encoding: string | undefined, ends = false): string | Buffer {
    const buffer = Buffer.from(made.buffer as ArrayBuffer, made.byteOffset, made.byteLength);
    if (!encoding || encoding === "buffer") return buffer;
    if (this.#encoding !== undefined && this.#encoding !== encoding)
      throw fault(
        TypeError,
        "ERR_INVALID_ARG_VALUE",
        `The argument 'outputEncoding' cannot be changed from '${this.#encoding}'.`,
      );
    this.#encoding = encoding;
    return /^utf-?8$/i.test(encoding)
      ? this.#text.decode(buffer, { stream: !ends })
      : this.#whole(buffer, encoding, ends);
  }

  /** Base64 of three bytes at a time, since only its end is padded. */
  #whole(buffer: Buffer, encoding: string, ends: boolean): string {
    if (!/^base64/i.test(encoding)) return inEncoding(buffer, encoding);
    const all = Buffer.concat([this.#rest, buffer]);
    const most = ends ? all.length : all.length - (all.length % 3);
    this.#rest = Buffer.concat([all.subarray(most)]);
    return inEncoding(Buffer.concat([all.subarray(0, most)]), encoding);
  }
}

export class Cipheriv extends CipherBase {
  constructor(name: string, key: unknown, iv: unknown, options?: Options) {
    super(name, key, iv, options, true);
  }

  #tag: Uint8Array | undefined;

  getAuthTag(): Buffer {
    if (!this.authenticated || !this.isOver) throw state("getAuthTag");
    this.#tag ??= this.authenticated.tag();
    return Buffer.concat([this.#tag.subarray(0, this.tagLength ?? 16)]);
  }
}

export class Decipheriv extends CipherBase {
  #tag: Uint8Array | undefined;

  constructor(name: string, key: unknown, iv: unknown, options?: Options) {
    super(name, key, iv, options, false);
  }

  setAuthTag(tag: unknown, encoding?: string): this {
    const given = bytes(tag, "buffer", encoding);
    if (!this.authenticated || this.isOver || this.#tag) throw state("setAuthTag");
    if (given.length !== (this.tagLength ?? 16)) throw badTag(given.length);
    this.#tag = given;
    return this;
  }

  override final(outputEncoding?: string): string | Buffer {
    const text = super.final(outputEncoding);
    if (this.authenticated && !isEqual(this.authenticated.tag(), this.#tag))
      throw new Error("Unsupported state or unable to authenticate data");
    return text;
  }
}

/** Whether a tag is the beginning of the sum, in a time that does not say where it differs. */
function isEqual(sum: Uint8Array, tag: Uint8Array | undefined): boolean {
  if (!tag) return false;
  let different = 0;
  for (let at = 0; at < tag.length; at++) different |= (sum[at] as number) ^ (tag[at] as number);
  return different === 0;
}

export const createCipheriv = (name: string, key: unknown, iv: unknown, options?: Options): Cipheriv =>
  new Cipheriv(name, key, iv, options);
export const createDecipheriv = (name: string, key: unknown, iv: unknown, options?: Options): Decipheriv =>
  new Decipheriv(name, key, iv, options);
