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

/** The UTF-8 of a text in base64; `undefined` if there is none, or it is too long for the sandbox process. */
export const base64OfText = (text: string): string | undefined => unlessEmpty(host.bytesOfText(text));

/** The text of UTF-8, as Node reads it; `undefined` if there is none, or it is too long for the sandbox process. */
export const textOfBytes = (bytes: Uint8Array): string | undefined =>
  unlessEmpty(host.textOfBytes(apply(toBase64, bytes, [])));
