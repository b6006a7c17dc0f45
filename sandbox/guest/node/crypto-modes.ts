/** How ciphers take data in parts. The ciphers themselves are those of `@noble/ciphers`. */

import { cbc, unsafe } from "@noble/ciphers/aes.js";
import { Buffer } from "./buffer.ts";
import { fault } from "./fault.ts";

/** Bytes of a block of AES. */
export const BLOCK = 16;

/** A cipher in one direction. */
export interface Mode {
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

/** Blocks of AES, each mixed with the one before. The last one is padded, unless `pads` says no. */
export class Cbc implements Mode {
  pads = true;
  readonly #key: Uint8Array;
  readonly #encrypts: boolean;
  #before: Uint8Array;
  #rest: Uint8Array = new Uint8Array();

  constructor(key: Uint8Array, iv: Uint8Array, encrypts: boolean) {
    this.#key = key;
    this.#before = iv;
    this.#encrypts = encrypts;
  }

  update(data: Uint8Array): Uint8Array {
    const all = Buffer.concat([this.#rest, data]);
    // The last block of padded data tells how much of it counts, so it waits for the end.
    const waits = !this.#encrypts && this.pads && all.length > 0 && all.length % BLOCK === 0 ? BLOCK : 0;
    const whole = all.length - (all.length % BLOCK) - waits;
    this.#rest = all.slice(whole);
    return this.#blocks(all.subarray(0, whole));
  }

  final(): Uint8Array {
    const left = this.#rest.length;
    if (!this.pads) {
      if (left > 0) throw wrongLength();
      return new Uint8Array();
    }
    if (this.#encrypts) {
      const pad = BLOCK - left;
      return this.#blocks(Buffer.concat([this.#rest, new Uint8Array(pad).fill(pad)]));
    }
    if (left !== BLOCK) throw wrongLength();
    const block = this.#blocks(this.#rest);
    const pad = block[BLOCK - 1] as number;
    if (pad < 1 || pad > BLOCK || !block.subarray(BLOCK - pad).every((byte) => byte === pad))
      throw fault(Error, "ERR_OSSL_BAD_DECRYPT", "bad decrypt");
    return block.subarray(0, BLOCK - pad);
  }

  #blocks(data: Uint8Array): Uint8Array {
    if (data.length === 0) return data;
    const plain = Uint8Array.from(data);
    const cipher = cbc(this.#key, this.#before, { disablePadding: true });
    const made = this.#encrypts ? cipher.encrypt(plain) : cipher.decrypt(plain);
    this.#before = (this.#encrypts ? made : plain).slice(-BLOCK);
    return made;
  }
}

const wrongLength = (): Error => fault(Error, "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH", "wrong final block length");

/** A stream of key bytes over data, from `position` on. Bytes before it in the same block are made and left out. */
export function overlay(
  data: Uint8Array,
  position: number,
  size: number,
  make: (blocks: Uint8Array, at: number) => Uint8Array,
) {
  const skipped = position % size;
  const blocks = new Uint8Array(skipped + data.length);
  blocks.set(data, skipped);
  return make(blocks, Math.floor(position / size)).subarray(skipped);
}

/** The counter block that lies `blocks` after `start`, whose last `width` bytes count. */
export function counterAfter(start: Uint8Array, blocks: number, width: number): Uint8Array {
  const counter = Uint8Array.from(start);
  let carry = blocks;
  for (let at = BLOCK - 1; at >= BLOCK - width && carry > 0; at--) {
    carry += counter[at] as number;
    counter[at] = carry % 256;
    carry = Math.floor(carry / 256);
  }
  return counter;
}

/** Encrypts and decrypts alike. */
export class Ctr implements Mode {
  readonly #key: Uint32Array;
  readonly #start: Uint8Array;
  #position = 0;

  constructor(key: Uint8Array, iv: Uint8Array) {
    this.#key = unsafe.expandKeyLE(key);
    this.#start = iv;
  }

  update(data: Uint8Array): Uint8Array {
    const made = overlay(data, this.#position, BLOCK, (blocks, at) =>
      unsafe.ctrCounter(this.#key, counterAfter(this.#start, at, BLOCK), blocks),
    );
    this.#position += data.length;
    return made;
  }

  final(): Uint8Array {
    return new Uint8Array();
  }
}
