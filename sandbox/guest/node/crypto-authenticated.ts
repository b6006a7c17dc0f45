/** Ciphers that prove what they encrypted. */
import { BLOCK, joined, type Mode } from "./crypto-blocks.ts";

/** One that proves what it encrypted: 16 bytes, once all data were taken. */
export interface AuthenticatedMode extends Mode {
  setAad(data: Uint8Array): void;
  tag(): Uint8Array;
}

/** Feeds a sum over blocks: its own parts are padded one by one. */
export class Blocks {
  length = 0;
  #rest: Uint8Array = new Uint8Array();
  readonly #take: (blocks: Uint8Array) => unknown;

  constructor(take: (blocks: Uint8Array) => unknown) {
    this.#take = take;
  }

  add(data: Uint8Array): void {
    this.length += data.length;
    const all = joined(this.#rest, data);
    const whole = all.length - (all.length % BLOCK);
    this.#rest = all.slice(whole);
    if (whole > 0) this.#take(Uint8Array.from(all.subarray(0, whole)));
  }

  /** Fills the last block with zeros. */
  pad(): void {
    if (this.#rest.length > 0) this.#take(joined(this.#rest, new Uint8Array(BLOCK - this.#rest.length)));
    this.#rest = new Uint8Array();
  }
}

/** Both lengths in 16 bytes, as the sum ends with them. `scale`: bits or bytes. */
export function lengths(aad: number, data: number, scale: number, littleEndian: boolean): Uint8Array {
  const block = new DataView(new ArrayBuffer(BLOCK));
  block.setBigUint64(0, BigInt(aad * scale), littleEndian);
  block.setBigUint64(8, BigInt(data * scale), littleEndian);
  return new Uint8Array(block.buffer);
}

/** What GCM and ChaCha20-Poly1305 have in common: encryption, and a sum over what else is said and what was encrypted. */
export abstract class Authenticated implements AuthenticatedMode {
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
