/** `node:zlib`, in JavaScript: zlib from `pako`, Brotli's decoder from `brotli-compress`. */

import { codes } from "unenv/node/internal/zlib/codes";
import * as named from "unenv/node/internal/zlib/constants";
import { notOffered } from "./host.ts";
import { crc32 } from "./zlib-crc32.ts";
import type { Kind } from "./zlib-options.ts";
import { brotliStream, zlibStream } from "./zlib-streams.ts";
import {
  brotliDecompress,
  brotliDecompressSync,
  deflate,
  deflateRaw,
  deflateRawSync,
  deflateSync,
  gunzip,
  gunzipSync,
  gzip,
  gzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  unzip,
  unzipSync,
} from "./zlib-whole.ts";

export {
  brotliDecompress,
  brotliDecompressSync,
  codes,
  crc32,
  deflate,
  deflateRaw,
  deflateRawSync,
  deflateSync,
  gunzip,
  gunzipSync,
  gzip,
  gzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  unzip,
  unzipSync,
};
export const constants = /* @__PURE__ */ (() => Object.freeze({ ...named }))();

const create =
  (kind: Kind) =>
  (options?: unknown): object =>
    zlibStream(kind, options);

export const createDeflate = /* @__PURE__ */ create("Deflate");
export const createInflate = /* @__PURE__ */ create("Inflate");
export const createGzip = /* @__PURE__ */ create("Gzip");
export const createGunzip = /* @__PURE__ */ create("Gunzip");
export const createDeflateRaw = /* @__PURE__ */ create("DeflateRaw");
export const createInflateRaw = /* @__PURE__ */ create("InflateRaw");
export const createUnzip = /* @__PURE__ */ create("Unzip");
export const createBrotliDecompress = (options?: unknown): object => brotliStream(options);

/** What `new` makes is a stream, too. */
const classOf = (make: (options?: unknown) => object) =>
  function Zlib(options?: unknown): object {
    return make(options);
  };

export const Deflate = /* @__PURE__ */ classOf(createDeflate);
export const Inflate = /* @__PURE__ */ classOf(createInflate);
export const Gzip = /* @__PURE__ */ classOf(createGzip);
export const Gunzip = /* @__PURE__ */ classOf(createGunzip);
export const DeflateRaw = /* @__PURE__ */ classOf(createDeflateRaw);
export const InflateRaw = /* @__PURE__ */ classOf(createInflateRaw);
export const Unzip = /* @__PURE__ */ classOf(createUnzip);
export const BrotliDecompress = /* @__PURE__ */ classOf(createBrotliDecompress);

const WHY = "Cordon has no encoder for it; gzip and deflate are there";
export const brotliCompress = /* @__PURE__ */ notOffered("zlib", "brotliCompress", WHY);
export const brotliCompressSync = /* @__PURE__ */ notOffered("zlib", "brotliCompressSync", WHY);
export const createBrotliCompress = /* @__PURE__ */ notOffered("zlib", "createBrotliCompress", WHY);

export default {
  deflate,
  deflateSync,
  inflate,
  inflateSync,
  gzip,
  gzipSync,
  gunzip,
  gunzipSync,
  deflateRaw,
  deflateRawSync,
  inflateRaw,
  inflateRawSync,
  unzip,
  unzipSync,
  brotliDecompress,
  brotliDecompressSync,
  codes,
  constants,
  crc32,
  createDeflate,
  createInflate,
  createGzip,
  createGunzip,
  createDeflateRaw,
  createInflateRaw,
  createUnzip,
  createBrotliDecompress,
  Deflate,
  Inflate,
  Gzip,
  Gunzip,
  DeflateRaw,
  InflateRaw,
  Unzip,
  BrotliDecompress,
  brotliCompress,
  brotliCompressSync,
  createBrotliCompress,
};
