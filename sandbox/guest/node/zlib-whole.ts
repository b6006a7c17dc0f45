/** Functions of `node:zlib` that take data as a whole. */
import { Buffer } from "./buffer.ts";
import { fault, wrongType } from "./fault.ts";
import { bytesOf } from "./wire-data.ts";
import { brotliDecode } from "./zlib-brotli.ts";
import { ZlibEngine } from "./zlib-engine.ts";
import { givenOptions, type Kind, optionsOf, sizes } from "./zlib-options.ts";

/** With `info: true`, the bytes that were taken in, too. */
type Result = Buffer | { buffer: Buffer; engine: { bytesWritten: number } };
type Whole = (data: Uint8Array, options: unknown) => Result;
type Callback = (error: Error | null, result?: Result) => void;

function inputOf(data: unknown): Uint8Array {
  const bytes = bytesOf(data);
  if (!bytes)
    throw wrongType("buffer", "of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer");
  return bytes;
}

export const tooLarge = (most: number): Error =>
  fault(RangeError, "ERR_BUFFER_TOO_LARGE", `Cannot create a Buffer larger than ${most} bytes`);

const zlib =
  (kind: Kind): Whole =>
  (data, given) => {
    const options = optionsOf(kind, given);
    const engine = new ZlibEngine(kind, options);
    const parts: Uint8Array[] = [];
    let length = 0;
    engine.write(data, options.finishFlush, (part) => {
      length += part.length;
      if (length > options.maxOutputLength) throw tooLarge(options.maxOutputLength);
      parts.push(part);
    });
    const buffer = Buffer.concat(parts);
    return options.info ? { buffer, engine: { bytesWritten: engine.bytesWritten } } : buffer;
  };

/** The decoder says only at the end how much it made: before that, the memory of the isolate is the limit. */
const brotli: Whole = (data, given) => {
  const { maxOutputLength } = sizes(givenOptions(given));
  const bytes = brotliDecode(data);
  if (bytes.length > maxOutputLength) throw tooLarge(maxOutputLength);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

const now =
  (act: Whole) =>
  (data: unknown, options?: unknown): Result =>
    act(inputOf(data), options);

/** Options are checked at once, data in a later turn. */
const later =
  (act: Whole, check: (options: unknown) => unknown) =>
  (data: unknown, options?: unknown, callback?: Callback): void => {
    const done = (typeof options === "function" ? options : callback) as Callback | undefined;
    const given = typeof options === "function" ? {} : options;
    if (typeof done !== "function") throw wrongType("callback", "of type function");
    const input = inputOf(data);
    check(given);
    setImmediate(() => {
      let result: Result;
      try {
        result = act(input, given);
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, result);
    });
  };

const nowOf = (kind: Kind) => now(zlib(kind));
const laterOf = (kind: Kind) => later(zlib(kind), (options) => optionsOf(kind, options));

export const deflateSync = /* @__PURE__ */ nowOf("Deflate");
export const deflate = /* @__PURE__ */ laterOf("Deflate");
export const inflateSync = /* @__PURE__ */ nowOf("Inflate");
export const inflate = /* @__PURE__ */ laterOf("Inflate");
export const gzipSync = /* @__PURE__ */ nowOf("Gzip");
export const gzip = /* @__PURE__ */ laterOf("Gzip");
export const gunzipSync = /* @__PURE__ */ nowOf("Gunzip");
export const gunzip = /* @__PURE__ */ laterOf("Gunzip");
export const deflateRawSync = /* @__PURE__ */ nowOf("DeflateRaw");
export const deflateRaw = /* @__PURE__ */ laterOf("DeflateRaw");
export const inflateRawSync = /* @__PURE__ */ nowOf("InflateRaw");
export const inflateRaw = /* @__PURE__ */ laterOf("InflateRaw");
export const unzipSync = /* @__PURE__ */ nowOf("Unzip");
export const unzip = /* @__PURE__ */ laterOf("Unzip");
export const brotliDecompressSync = /* @__PURE__ */ now(brotli);
export const brotliDecompress = /* @__PURE__ */ later(brotli, (options) => sizes(givenOptions(options)));
