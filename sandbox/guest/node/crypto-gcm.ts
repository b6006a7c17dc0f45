import { ghash } from "@noble/ciphers/_polyval.js";
import { unsafe } from "@noble/ciphers/aes.js";
import { Authenticated, Blocks, lengths } from "./crypto-authenticated.ts";
import { BLOCK, counterAfter, overlay } from "./crypto-blocks.ts";

/** GCM of AES. */
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
