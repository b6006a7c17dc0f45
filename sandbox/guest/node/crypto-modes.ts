/** How ciphers take data in parts. The ciphers themselves are those of `@noble/ciphers`. */

import { cbc, unsafe } from "@noble/ciphers/aes.js";
import { BLOCK, counterAfter, joined, type Mode, overlay } from "./crypto-blocks.ts";
import { fault } from "./fault.ts";

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
    const all = joined(this.#rest, data);
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
      return this.#blocks(joined(this.#rest, new Uint8Array(pad).fill(pad)));
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
