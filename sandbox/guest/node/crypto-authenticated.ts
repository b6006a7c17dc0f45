/** Ciphers that prove what they encrypted: GCM of AES, and ChaCha20-Poly1305. */

import { poly1305 } from "@noble/ciphers/_poly1305.js";
import { ghash } from "@noble/ciphers/_polyval.js";
import { unsafe } from "@noble/ciphers/aes.js";
import { chacha20 } from "@noble/ciphers/chacha.js";
import { Buffer } from "./buffer.ts";
import { BLOCK, counterAfter, type Mode, overlay } from "./crypto-modes.ts";

const CHACHA_BLOCK = 64;

/** One that proves what it encrypted: 16 bytes, once all data were taken. */
export interface AuthenticatedMode extends Mode {
  setAad(data: Uint8Array): void;
  tag(): Uint8Array;
}

/** Feeds a sum over blocks: its own parts are padded one by one. */
class Blocks {
  length = 0;
  #rest: Uint8Array = new Uint8Array();
  readonly #take: (blocks: Uint8Array) => unknown;

  constructor(take: (blocks: Uint8Array) => unknown) {
    this.#take = take;
  }

  add(data: Uint8Array): void {
    this.length += data.length;
    const all = Buffer.concat([this.#rest, data]);
    const whole = all.length - (all.length % BLOCK);
    this.#rest = all.slice(whole);
    if (whole > 0) this.#take(Uint8Array.from(all.subarray(0, whole)));
  }

  /** Fills the last block with zeros. */
  pad(): void {
    if (this.#rest.length > 0)
      this.#take(Uint8Array.from(Buffer.concat([this.#rest, new Uint8Array(BLOCK - this.#rest.length)])));
    this.#rest = new Uint8Array();
  }
}

/** Both lengths in 16 bytes, as the sum ends with them. `scale`: bits or bytes. */
function lengths(aad: number, data: number, scale: number, littleEndian: boolean): Uint8Array {
  const block = new DataView(new ArrayBuffer(BLOCK));
  block.setBigUint64(0, BigInt(aad * scale), littleEndian);
  block.setBigUint64(8, BigInt(data * scale), littleEndian);
  return new Uint8Array(block.buffer);
}

/** What GCM and ChaCha20-Poly1305 have in common: encryption, and a sum over what else is said and what was encrypted. */
abstract class Authenticated implements AuthenticatedMode {
  readonly #encrypts: boolean;
  readonly #aad: Blocks;
  readonly #data: Blocks;
  #position = 0;

  constructor(encrypts: boolean, sum: { update(blocks: Uint8Array): unknown }) {
    this.#encrypts = encrypts;
    this.#aad = new Blocks((blocks) => sum.update(blocks));
    this.#data = new Blocks((blocks) => sum.update(blocks));
  }

  protected abstract crypt(data: Uint8Array, position: number): Uint8Array;
  protected abstract sumUp(aad: number, data: number): Uint8Array;

  setAad(data: Uint8Array): void {
    this.#aad.add(data);
  }

  update(data: Uint8Array): Uint8Array {
    if (this.#position === 0) this.#aad.pad();
    const made = this.crypt(data, this.#position);
    this.#position += data.length;
    this.#data.add(this.#encrypts ? made : data);
    return made;
  }

  final(): Uint8Array {
    return new Uint8Array();
  }

  tag(): Uint8Array {
    this.#aad.pad();
    this.#data.pad();
    return this.sumUp(this.#aad.length, this.#data.length);
  }
}

export class Gcm extends Authenticated {
  readonly #key: Uint32Array;
  readonly #start: Uint8Array;
  readonly #sum: { update(blocks: Uint8Array): unknown; digest(): Uint8Array };

  constructor(key: Uint8Array, iv: Uint8Array, encrypts: boolean) {
    const expanded = unsafe.expandKeyLE(key);
    const hashKey = unsafe.encryptBlock(expanded, new Uint8Array(BLOCK));
    const sum = ghash.create(hashKey);
    super(encrypts, sum);
    this.#key = expanded;
    this.#sum = sum;
    this.#start = firstCounter(iv, hashKey);
  }

  protected crypt(data: Uint8Array, position: number): Uint8Array {
    return overlay(data, position, BLOCK, (blocks, at) =>
      unsafe.ctr32(this.#key, false, counterAfter(this.#start, at + 1, 4), blocks),
    );
  }

  protected sumUp(aad: number, data: number): Uint8Array {
    this.#sum.update(lengths(aad, data, 8, false));
    return unsafe.ctr32(this.#key, false, Uint8Array.from(this.#start), Uint8Array.from(this.#sum.digest()));
  }
}

/** GCM's counter block of the tag: the usual 12 bytes and a 1, or a sum over others. */
function firstCounter(iv: Uint8Array, hashKey: Uint8Array): Uint8Array {
  if (iv.length === 12) return Uint8Array.from([...iv, 0, 0, 0, 1]);
  const sum = ghash.create(Uint8Array.from(hashKey));
  const blocks = new Blocks((part) => sum.update(part));
  blocks.add(iv);
  blocks.pad();
  sum.update(lengths(0, iv.length, 8, false));
  return sum.digest();
}

export class ChaCha20Poly1305 extends Authenticated {
  readonly #key: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #sum: { update(blocks: Uint8Array): unknown; digest(): Uint8Array };

  constructor(key: Uint8Array, iv: Uint8Array, encrypts: boolean) {
    const sum = poly1305.create(chacha20(key, iv, new Uint8Array(32)));
    super(encrypts, sum);
    this.#key = key;
    this.#nonce = iv;
    this.#sum = sum;
  }

  protected crypt(data: Uint8Array, position: number): Uint8Array {
    return overlay(data, position, CHACHA_BLOCK, (blocks, at) =>
      chacha20(this.#key, this.#nonce, blocks, undefined, at + 1),
    );
  }

  protected sumUp(aad: number, data: number): Uint8Array {
    this.#sum.update(lengths(aad, data, 1, true));
    return this.#sum.digest();
  }
}
