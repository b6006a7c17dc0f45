import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { besideNode, error, type Question } from "./beside-node.ts";

const FORMATS = `[["gzipSync", "gunzipSync"], ["deflateSync", "inflateSync"], ["deflateRawSync", "inflateRawSync"], ["gzipSync", "unzipSync"], ["deflateSync", "unzipSync"]]`;
const TEXTS = `["", "a", "€😀 é".repeat(50), "x".repeat(70_000), Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at * 7919) % 251)), new Uint16Array([1, 2, 3]), new DataView(new ArrayBuffer(5)), new ArrayBuffer(3)]`;

/** Data that Node wrote, as hexadecimal text. */
const hex = (bytes: Buffer): string => `Buffer.from("${bytes.toString("hex")}", "hex")`;
const TEXT = Buffer.from("The hook, the whole hook and nothing but the hook. ".repeat(40));
const GZIP = hex(gzipSync(TEXT));
const DEFLATE = hex(deflateSync(TEXT));
const DICTIONARY = hex(deflateSync("abcabc", { dictionary: Buffer.from("abc") }));
const RAW_DICTIONARY = hex(deflateRawSync("abcabc", { dictionary: Buffer.from("abc") }));
const brotli = (text: string | Buffer, quality: number, window = 22): string =>
  hex(
    brotliCompressSync(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: window },
    }),
  );
const noise = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * at * 7919) % 251));

const WHOLE: Question[] = [
  {
    name: "what is compressed is decompressed",
    ask: `${FORMATS}.map(([pack, unpack]: any) => ${TEXTS}.map((text: any) => (zlib as any)[unpack]((zlib as any)[pack](text)).equals(ArrayBuffer.isView(text) ? Buffer.from(text.buffer, text.byteOffset, text.byteLength) : Buffer.from(text))))`,
  },
  {
    name: "compressed bytes are those of Node, at each level",
    ask: `[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((level) => ["gzipSync", "deflateSync", "deflateRawSync"].map((pack) => (zlib as any)[pack]("abc ".repeat(300) + "x".repeat(999) + "The end.", { level }).toString("base64")))`,
  },
  {
    name: "options of compression",
    ask: `[{ strategy: 1 }, { strategy: 2 }, { strategy: 3 }, { strategy: 4 }, { memLevel: 1 }, { windowBits: 9 }, { chunkSize: 64 }, { level: 3, finishFlush: 4 }, { level: NaN }, { level: undefined }].map((o) => zlib.inflateSync(zlib.deflateSync("abc ".repeat(500), o as any)).length)`,
  },
  {
    name: "what Node wrote",
    ask: `[zlib.gunzipSync(${GZIP}).toString(), zlib.inflateSync(${DEFLATE}).length, zlib.unzipSync(${GZIP}).length, zlib.inflateRawSync(${hex(deflateRawSync(TEXT))}).length, zlib.gunzipSync(new Uint8Array(${GZIP}).buffer as any).length]`,
  },
  {
    name: "every place where data may be cut off",
    ask: `Array.from({ length: ${gzipSync(TEXT).length} }, (_, at) => caught(() => zlib.gunzipSync(${GZIP}.subarray(0, at))))`,
  },
  {
    name: "every byte that may be damaged",
    ask: `Array.from({ length: ${deflateSync(TEXT).length} }, (_, at) => { const bytes = Buffer.from(${DEFLATE}); bytes[at] = (bytes[at] as number) ^ 0x55; const made: any = caught(() => zlib.inflateSync(bytes).toString()); return made instanceof Error ? [made, made.errno, made.message] : made; })`,
  },
  {
    name: "a file that is cut off, as far as it goes",
    ask: `zlib.gunzipSync(${GZIP}.subarray(0, 40), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString()`,
  },
  {
    name: "members of gzip, zeros behind them, and junk",
    ask: `[Buffer.concat([zlib.gzipSync("a"), zlib.gzipSync("b")]), Buffer.concat([zlib.gzipSync("a"), Buffer.alloc(9)]), Buffer.concat([zlib.gzipSync("a"), Buffer.from("junk")]), Buffer.concat([zlib.gzipSync("a"), Buffer.from([0x1f])])].flatMap((b) => [caught(() => zlib.gunzipSync(b).toString()), caught(() => zlib.unzipSync(b).toString())])`,
  },
  {
    name: "junk behind other formats",
    ask: `[zlib.inflateSync(Buffer.concat([zlib.deflateSync("a"), Buffer.from("junk")])).toString(), zlib.inflateRawSync(Buffer.concat([zlib.deflateRawSync("a"), Buffer.from("junk")])).toString()]`,
  },
  {
    name: "no data at all",
    ask: `["gunzipSync", "inflateSync", "inflateRawSync", "unzipSync"].map((name) => caught(() => (zlib as any)[name](Buffer.alloc(0))))`,
  },
  {
    name: "other formats than the one that is meant",
    ask: `[() => zlib.gunzipSync(zlib.deflateSync("a")), () => zlib.inflateSync(zlib.gzipSync("a")), () => zlib.inflateRawSync(Buffer.from([255, 255])), () => zlib.unzipSync(Buffer.from("junk"))].map((act) => { const e: any = caught(act); return [e, e.errno, e.message]; })`,
  },
  {
    name: "dictionaries",
    ask: `[() => zlib.inflateSync(${DICTIONARY}, { dictionary: Buffer.from("abc") }).toString(), () => zlib.inflateSync(${DICTIONARY}), () => zlib.inflateSync(${DICTIONARY}, { dictionary: Buffer.from("abd") }), () => zlib.inflateRawSync(${RAW_DICTIONARY}, { dictionary: Buffer.from("abc") }).toString(), () => zlib.deflateSync("abcabc", { dictionary: Buffer.from("abc") }).toString("hex"), () => zlib.inflateSync(zlib.deflateSync("q"), { dictionary: Buffer.from("abc") }).toString()].map((act) => { const made: any = caught(act); return made instanceof Error ? [made, (made as any).errno, made.message] : made; })`,
  },
  {
    name: "a limit of the output, met and one less",
    ask: `[2040, 2039, 1].map((maxOutputLength) => caught(() => zlib.gunzipSync(${GZIP}, { maxOutputLength }).length))`,
  },
  {
    name: "a result with its engine",
    ask: `(() => { const made: any = zlib.gunzipSync(${GZIP}, { info: true } as any); return [made.buffer.length, made.engine.bytesWritten]; })()`,
  },
  {
    name: "options that cannot be",
    ask: `[{ level: 10 }, { level: -2 }, { level: "3" }, { level: Infinity }, { windowBits: 16 }, { windowBits: 8 }, { windowBits: 7 }, { memLevel: 0 }, { strategy: 5 }, { chunkSize: 63 }, { flush: 6 }, { finishFlush: -1 }, { dictionary: "abc" }, { dictionary: 5 }, { maxOutputLength: 0 }].map((o: any) => { const made = caught(() => zlib.gzipSync("x", o)); return made instanceof Error ? made : "made"; })`,
  },
  {
    name: "the smallest windows",
    ask: `[() => zlib.deflateRawSync("x", { windowBits: 8 }).toString("hex"), () => zlib.gzipSync("x", { windowBits: 9 }).length, () => zlib.inflateSync(zlib.deflateSync("x"), { windowBits: 0 }).toString(), () => zlib.inflateSync(zlib.deflateSync("x".repeat(9)), { windowBits: 8 }).toString()].map((act) => caught(act))`,
  },
  {
    name: "data of the wrong type",
    ask: `[5, null, undefined, {}, [1]].flatMap((v: any) => [caught(() => zlib.gzipSync(v)), caught(() => zlib.gunzipSync(v))]).concat([5, {}, [1]].map((v: any) => caught(() => zlib.gzip(v, () => {}))))`,
  },
  {
    name: "with a callback",
    ask: `[await within(() => new Promise((done) => zlib.gzip("abc", (e, made) => zlib.gunzip(made, (e2, text) => done([e, e2, String(text)]))))), await within(() => new Promise((done) => zlib.inflate("junk", {}, (e: any, made) => done([e, e.errno, made])))), await within(() => promisify(zlib.inflateRaw)(zlib.deflateRawSync("q")).then(String)), await rejected(promisify(zlib.gunzip)("junk")), caught(() => (zlib as any).gzip("x")), caught(() => zlib.gzip("x", { level: 99 }, () => {}))]`,
  },
  {
    name: "a callback is called later",
    ask: `await within(() => new Promise((done) => { let now = true; zlib.gzip("x", () => done(now)); now = false; }))`,
  },
  {
    name: "checksums",
    ask: `[zlib.crc32(""), zlib.crc32("abc"), zlib.crc32("c", zlib.crc32("ab")), zlib.crc32(Buffer.from("é€")), zlib.crc32(new Uint16Array([1, 515])), zlib.crc32("é"), ...[[5], [new ArrayBuffer(1)], ["a", -1], ["a", 2 ** 32], ["a", "b"], ["a", 1.5]].map((a: any) => caught(() => (zlib as any).crc32(...a)))]`,
  },
  {
    name: "Brotli, of each quality",
    ask: `[${[0, 1, 5, 9, 11].map((quality) => brotli(TEXT, quality)).join(", ")}].map((b) => zlib.brotliDecompressSync(b).toString())`,
  },
  {
    name: "Brotli that gave up on compressing",
    ask: `[${[5, 11].map((quality) => brotli(noise, quality, 10)).join(", ")}, ${brotli("", 11)}, ${brotli("a", 0)}].map((b) => zlib.crc32(zlib.brotliDecompressSync(b)))`,
  },
  {
    name: "Brotli with a limit, a callback and as a stream",
    ask: `[caught(() => zlib.brotliDecompressSync(${brotli(TEXT, 5)}, { maxOutputLength: 2039 })), zlib.brotliDecompressSync(${brotli(TEXT, 5)}, { maxOutputLength: 2040 }).length, await within(() => promisify(zlib.brotliDecompress)(${brotli("later", 5)}).then(String)), await within(async () => String(await whole(Readable.from([${brotli("stream", 5)}]).pipe(zlib.createBrotliDecompress()))))]`,
  },
  {
    name: "constants and codes",
    ask: `[zlib.constants.Z_BEST_COMPRESSION, zlib.constants.Z_SYNC_FLUSH, zlib.constants.BROTLI_PARAM_QUALITY, zlib.codes.Z_DATA_ERROR, zlib.codes["-3"]]`,
  },
];

const STREAMS: Question[] = [
  {
    name: "there and back in a pipeline",
    ask: `await within(async () => { const out: Buffer[] = []; await pipeline(Readable.from(["abc".repeat(9999), "def"]), zlib.createGzip(), zlib.createGunzip(), new Writable({ write(part, _e, done) { out.push(part); done(); } })); return [Buffer.concat(out).length, zlib.crc32(Buffer.concat(out))]; })`,
  },
  {
    name: "byte by byte",
    ask: `await within(async () => { const from = zlib.createUnzip(); for (const byte of ${GZIP}) from.write(Buffer.from([byte])); from.end(); return String(await whole(from)); })`,
  },
  {
    name: "every format has its stream",
    ask: `await within(() => Promise.all([["Deflate", "Inflate"], ["Gzip", "Gunzip"], ["DeflateRaw", "InflateRaw"], ["Gzip", "Unzip"], ["Deflate", "Unzip"]].map(async ([pack, unpack]) => String(await whole(Readable.from(["a", "b"]).pipe((zlib as any)["create" + pack]()).pipe(new (zlib as any)[unpack as any]()))))))`,
  },
  {
    name: "damaged data are an error of the stream",
    ask: `[await rejected(whole(Readable.from([Buffer.from("junk")]).pipe(zlib.createGunzip()))), await rejected(whole(Readable.from([${GZIP}.subarray(0, 50)]).pipe(zlib.createGunzip()))), await rejected(pipeline(Readable.from([]), zlib.createGunzip(), new Writable({ write(_p, _e, done) { done(); } })))]`,
  },
  {
    name: "what comes behind the end is left",
    ask: `await within(async () => String(await whole(Readable.from([${DEFLATE}, Buffer.from("junk"), Buffer.from("more")]).pipe(zlib.createInflate()))))`,
  },
  {
    name: "flush gives what is waiting",
    ask: `await within(() => new Promise((done) => { const g = zlib.createDeflate(); const i = zlib.createInflate(); g.on("data", (part) => i.write(part)); i.on("data", (part) => done(String(part))); g.write("now"); g.flush(zlib.constants.Z_SYNC_FLUSH); }))`,
  },
  {
    name: "flush in the middle keeps the order",
    ask: `await within(async () => { const g = zlib.createGzip(); g.write("a"); g.flush(() => {}); g.write("b"); g.end("c"); return zlib.gunzipSync(await whole(g)).toString(); })`,
  },
  {
    name: "how much was taken in",
    ask: `await within(async () => { const g = zlib.createGzip(); g.end("abcde"); await whole(g); return g.bytesWritten; })`,
  },
  {
    name: "close",
    ask: `await within(() => new Promise((done) => { const g = zlib.createGzip(); g.close(() => done([g.destroyed, g.write("x")])); g.on("error", () => {}); }))`,
  },
  {
    name: "reset",
    ask: `await within(async () => { const i = zlib.createInflate(); const out: string[] = []; i.on("data", (p) => out.push(String(p))); await new Promise<void>((done) => i.write(zlib.deflateSync("a"), () => done())); i.reset(); await new Promise<void>((done) => i.write(zlib.deflateSync("b"), () => done())); return out; })`,
  },
  {
    name: "options of streams that cannot be",
    ask: `[caught(() => zlib.createGzip({ level: 10 })), caught(() => zlib.createGunzip({ chunkSize: 5 }))]`,
  },
];

const DIFFERENT: Question[] = [
  {
    name: "Brotli that is damaged or cut off",
    ask: `[Buffer.from("junk"), Buffer.alloc(0), ${brotli("abc", 5)}.subarray(0, 3)].map((b) => caught(() => zlib.brotliDecompressSync(b)))`,
    differs: { reason: "Node has a code for each damage", cordon: Array(3).fill(error("Error", "ERR_BROTLI_DATA")) },
  },
  {
    name: "encoders that are not there",
    ask: `[() => zlib.brotliCompressSync("a"), () => zlib.createBrotliCompress(), () => (zlib as any).zstdCompressSync("a"), () => zlib.createGzip().params(1, 1, () => {})].map((act) => { const made = caught(act); return made instanceof Error ? made : "made"; })`,
    differs: {
      reason: "no encoder in JavaScript, and none of zlib's parameters later",
      cordon: [
        error("Error", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"),
        error("Error", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"),
        error("TypeError"),
        error("Error", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"),
      ],
    },
  },
];

besideNode("node:zlib in a hook and in Node", {
  top: `import zlib from "node:zlib"; import { promisify } from "node:util"; import { Readable, Writable } from "node:stream"; import { pipeline } from "node:stream/promises";
const whole = async (from: any) => { const parts: any[] = []; for await (const part of from) parts.push(part); return Buffer.concat(parts); };`,
  questions: [...WHOLE, ...STREAMS, ...DIFFERENT],
});
