/** The decoder of Brotli. It takes the data as a whole. */
import { fault } from "./fault.ts";
import { host } from "./host.ts";

/** @throws `ERR_BROTLI_DATA` for data that are damaged, cut off or followed by others; Node has a code for each damage */
export function brotliDecode(input: Uint8Array): Uint8Array {
  try {
    const bytes = host.library("brotli").decompress(input, {});
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (thrown) {
    throw fault(Error, "ERR_BROTLI_DATA", `Decompression failed: ${String(thrown)}`, { errno: -2 });
  }
}
