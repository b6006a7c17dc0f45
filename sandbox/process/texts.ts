import { MAX_CONVERTED } from "../wire/conversions.ts";

/**
 * Convert between text and bytes, which are in base64, as Node does: without a JIT an isolate takes thirty times as long. Empty
 * for what is too long.
 */
export const bytesOfText = (text: string): string =>
  text.length > MAX_CONVERTED ? "" : Buffer.from(text).toString("base64");

export const textOfBytes = (base64: string): string =>
  base64.length > MAX_CONVERTED ? "" : Buffer.from(base64, "base64").toString();
