import { MAX_CONVERTED } from "../../wire/conversions.ts";
import { BRIDGE, type Bridge } from "./bridge.ts";

/**
 * The length from which the loops of packages, which run without a JIT, take longer than V8's own functions, or a question to the
 * sandbox process.
 */
export const LONG = 256;

const host = (globalThis as { [BRIDGE]?: Bridge })[BRIDGE] as Bridge;
const { apply } = Reflect;
const { toBase64 } = Uint8Array.prototype;

/** The UTF-8 of a text in base64; `undefined` if it is too long for the sandbox process. */
export const base64OfText = (text: string): string | undefined =>
  text.length > MAX_CONVERTED ? undefined : host.bytesOfText(text);

/** The text of UTF-8, as Node reads it; `undefined` if it is too long for the sandbox process. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  const base64: string = apply(toBase64, bytes, []);
  return base64.length > MAX_CONVERTED ? undefined : host.textOfBytes(base64);
}
