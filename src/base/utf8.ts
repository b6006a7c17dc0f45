import { isAscii, isUtf8, transcode } from "node:buffer";

/** Texts of fewer bytes are read in microseconds in either way. */
const LARGE_BYTES = 64 * 1024;

/**
 * The text of these bytes in UTF-8; what is not UTF-8 becomes U+FFFD. V8 of Node 22, on which a host may run, takes 4 ms for a
 * megabyte that is not ASCII, and `transcode` a sixth of that.
 */
export function textOf(bytes: Buffer, start: number, end: number): string {
  if (end - start < LARGE_BYTES) return bytes.toString("utf8", start, end);
  const part = bytes.subarray(start, end);
  return isAscii(part) || !isUtf8(part) ? part.toString("utf8") : transcode(part, "utf8", "ucs2").toString("ucs2");
}
