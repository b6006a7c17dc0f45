import { poly1305 } from "@noble/ciphers/_poly1305.js";
import { chacha20 } from "@noble/ciphers/chacha.js";
import { Authenticated, lengths } from "./crypto-authenticated.ts";
import { overlay } from "./crypto-blocks.ts";

/** Bytes of a block of ChaCha20. */
const BLOCK = 64;

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
    return overlay(data, position, BLOCK, (blocks, at) => chacha20(this.#key, this.#nonce, blocks, undefined, at + 1));
  }

  protected sumUp(aad: number, data: number): Uint8Array {
    this.#sum.update(lengths(aad, data, 1, true));
    return this.#sum.digest();
  }
}
