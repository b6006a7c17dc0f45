/** What ciphers that take data in parts have in common. */

/** Bytes of a block of AES. */
export const BLOCK = 16;

export function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

/** A cipher in one direction. */
export interface Mode {
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

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
