/** AES in the three modes of `crypto.subtle` that hooks have. */
import { BLOCK, joined, type Mode } from "../node/crypto-blocks.ts";
import { host } from "../node/host.ts";
import { type Aes, type Algorithm, bytesOf, numberOf } from "./algorithms.ts";
import { failed } from "./failures.ts";
import { isSame } from "./hashes.ts";

type Bytes = Uint8Array<ArrayBuffer>;
/** Encrypts, or decrypts, data whole. */
type Cipher = (parameters: Algorithm, key: Bytes, data: Bytes, encrypts: boolean) => Uint8Array;

const ciphers = () => host.library("aes");

const wrong = (message = "The operation failed for an operation-specific reason"): Error =>
  failed("OperationError", message);

const whole = (mode: Mode, data: Uint8Array): Uint8Array => joined(mode.update(data), mode.final());

const cbc: Cipher = (parameters, key, data, encrypts) => {
  const iv = bytesOf(parameters.iv, "iv");
  if (iv.length !== BLOCK) throw wrong("algorithm.iv must contain exactly 16 bytes");
  try {
    return whole(new (ciphers().Cbc)(key, iv, encrypts), data);
  } catch {
    throw wrong();
  }
};

/** The last `length` bits of its counter count, and begin again after their end. */
const ctr: Cipher = (parameters, key, data) => {
  const counter = bytesOf(parameters.counter, "counter");
  const length = numberOf(parameters, "length");
  if (counter.length !== BLOCK) throw wrong("algorithm.counter must contain exactly 16 bytes");
  if (length < 1 || length > 128) throw wrong("AES-CTR algorithm.length must be between 1 and 128");
  const all = 1n << BigInt(length);
  const value = BigInt(`0x${counter.toHex()}`);
  const before = all - (value % all);
  const blocks = BigInt(Math.ceil(data.length / BLOCK));
  if (blocks > all) throw wrong();
  const { Ctr } = ciphers();
  if (blocks <= before) return new Ctr(key, counter).update(data);
  const split = Number(before) * BLOCK;
  const again = Uint8Array.fromHex((value - (value % all)).toString(16).padStart(2 * BLOCK, "0"));
  return joined(
    new Ctr(key, counter).update(data.subarray(0, split)),
    new Ctr(key, again).update(data.subarray(split)),
  );
};

const TAG_BITS: readonly number[] = [32, 64, 96, 104, 112, 120, 128];

/** The tag comes after what was encrypted. */
const gcm: Cipher = (parameters, key, data, encrypts) => {
  const iv = bytesOf(parameters.iv, "iv");
  const { additionalData } = parameters;
  const about = additionalData === undefined ? undefined : bytesOf(additionalData, "additionalData");
  const tagBits = parameters.tagLength === undefined ? 128 : numberOf(parameters, "tagLength");
  if (!TAG_BITS.includes(tagBits)) throw wrong(`${tagBits} is not a valid AES-GCM tag length`);
  const tagBytes = tagBits / 8;
  if (iv.length === 0 || (!encrypts && data.length < tagBytes)) throw wrong();
  const mode = new (ciphers().Gcm)(key, iv, encrypts);
  if (about) mode.setAad(about);
  const end = encrypts ? data.length : data.length - tagBytes;
  const made = mode.update(data.subarray(0, end));
  const tag = Uint8Array.from(mode.tag().subarray(0, tagBytes));
  if (encrypts) return joined(made, tag);
  if (!isSame(tag, data.slice(end))) throw wrong();
  return made;
};

const CIPHERS: Readonly<Record<Aes, Cipher>> = { "AES-CBC": cbc, "AES-CTR": ctr, "AES-GCM": gcm };

export const aes = (
  parameters: Algorithm & { readonly name: Aes },
  key: Bytes,
  data: Bytes,
  encrypts: boolean,
): ArrayBuffer => Uint8Array.from(CIPHERS[parameters.name](parameters, key, data, encrypts)).buffer;
