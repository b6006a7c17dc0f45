import { BRIDGE, type Bridge } from "./bridge.ts";

/**
 * The length from which the loops of packages, which run without a JIT, take longer than V8's own functions, or a question to the
 * sandbox process.
 */
export const LONG = 256;

const host = (globalThis as { [BRIDGE]?: Bridge })[BRIDGE] as Bridge;
const { apply } = Reflect;
const { toBase64 } = Uint8Array.prototype;

const unlessEmpty = (answer: string): string | undefined => (answer === "" ? undefined : answer);

/** The bytes of a text as UTF-8, in base64. Returns `undefined` for an empty text, and for one of over `MAX_CONVERTED` characters. */
export const base64OfText = (text: string): string | undefined => unlessEmpty(host.bytesOfText(text));

/** The text of bytes in UTF-8, as Node reads them. Returns `undefined` for no bytes, and if their base64 is longer than `MAX_CONVERTED`. */
export const textOfBytes = (bytes: Uint8Array): string | undefined =>
  unlessEmpty(host.textOfBytes(apply(toBase64, bytes, [])));
