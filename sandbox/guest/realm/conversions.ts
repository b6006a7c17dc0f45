import { MAX_PIECE } from "../../wire/conversions.ts";
import { BRIDGE, type Bridge } from "./bridge.ts";

/**
 * The length from which the loops of packages, which run without a JIT, take longer than V8's own functions, or a question to the
 * sandbox process.
 */
export const LONG = 256;

/** How many bytes have a base64 of `MAX_PIECE` characters. */
export const PIECE_BYTES = (MAX_PIECE / 4) * 3;

const host = (globalThis as { [BRIDGE]?: Bridge })[BRIDGE] as Bridge;
const { apply } = Reflect;
const { fromBase64, prototype } = Uint8Array;
const { set, subarray, toBase64 } = prototype;

/** The bytes of a text as UTF-8, in pieces in base64. None of them ends within a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + MAX_PIECE, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    pieces.push(host.bytesOfText(text.slice(at, end)));
    at = end;
  }
  return pieces;
}

function sizeOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

const sizeOfAll = (pieces: readonly string[]): number => pieces.reduce((size, piece) => size + sizeOf(piece), 0);

/** How many bytes a text has as UTF-8. */
export const byteLengthOf = (text: string): number => sizeOfAll(piecesOf(text));

/** A text as UTF-8, as Node writes it. */
export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  const pieces = piecesOf(text);
  const bytes = new Uint8Array(sizeOfAll(pieces));
  let at = 0;
  for (const piece of pieces) {
    apply(set, bytes, [fromBase64(piece), at]);
    at += sizeOf(piece);
  }
  return bytes;
}

const isWithin = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where a piece ends that may be as long as up to `end`: no character of UTF-8 has more than three bytes after its first. */
function endBefore(bytes: Uint8Array, end: number): number {
  for (let before = end; before > end - 4; before--) if (!isWithin(bytes[before])) return before;
  return end;
}

/** The text of bytes in UTF-8, as Node reads them. */
export function textOfBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const end = endBefore(bytes, at + PIECE_BYTES);
    text += host.textOfBytes(apply(toBase64, apply(subarray, bytes, [at, end]), []));
    at = end;
  }
  return text;
}
