import { MAX_PIECE } from "../wire/conversions.ts";

/**
 * Text becomes bytes in base64, and back, as Node converts them: without a JIT an isolate takes thirty times as long. Both return an
 * empty text for what is too long.
 */
export const bytesOfText = (text: string): string =>
  text.length > MAX_PIECE ? "" : Buffer.from(text).toString("base64");

export const textOfBytes = (base64: string): string =>
  base64.length > MAX_PIECE ? "" : Buffer.from(base64, "base64").toString();
