import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { besideNode, type Question } from "./beside-node.ts";

const ENCODINGS = `["utf8", "utf-8", "UTF8", "hex", "base64", "latin1", "binary", "ascii", "ucs2", "ucs-2", "utf16le"]`;

const USUAL: Question[] = [
  {
    name: "text becomes the same bytes in every encoding",
    ask: `${ENCODINGS}.map((e: any) => [Buffer.from("abé€😀", e), Buffer.byteLength("abcd", e), Buffer.isEncoding(e)])`,
  },
  {
    name: "bytes become the same text in every encoding",
    ask: `${ENCODINGS}.map((e: any) => [Buffer.from([0xff, 0xfe, 0, 0x41, 0x80, 0x3f]).toString(e), Buffer.from("héllo").toString(e, 1, 4)])`,
  },
  {
    name: "an encoding in other letters is the same one",
    ask: `Buffer.from("Zg==", "BASE64" as any).toString("HEX" as any)`,
  },
  {
    name: "hexadecimal text ends where it is none",
    ask: `["6865zz", "abc", "", "zz"].map((s) => Buffer.from(s, "hex"))`,
  },
  {
    name: "base64 without padding, with line ends and with the letters of addresses",
    ask: `["aGk", "aGk=", "a G\\nk=", "_-8", "+/8", "zz==aa", "====", "a"].map((s) => Buffer.from(s, "base64"))`,
  },
  {
    name: "half of a surrogate pair is replaced",
    ask: `[Buffer.from("\\ud800x"), Buffer.from("x\\udc00"), Buffer.from("😀")]`,
  },
  {
    name: "bytes that are no UTF-8 are replaced",
    ask: `[[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x41], [0x80], [0xef, 0xbb, 0xbf, 0x41]].map((b) => Buffer.from(b).toString())`,
  },
  {
    name: "lists, views and objects become buffers",
    ask: `[[1, 256, -1, 3.7, "5"], new Uint16Array([1, 300]), { length: 2, 0: 7, 1: 8 }, { type: "Buffer", data: [1, 2] }, new String("hi"), { [Symbol.toPrimitive]: () => "prim" }, Buffer.from("x")].map((v: any) => Buffer.from(v))`,
  },
  {
    name: "a buffer over an ArrayBuffer shares it",
    ask: `(() => { const all = new Uint8Array([1, 2, 3]); const part = Buffer.from(all.buffer, 1, 1); part[0] = 9; return [part, Buffer.from(all.buffer, 1), [...all], part.buffer === all.buffer]; })()`,
  },
  {
    name: "alloc and fill repeat what they are given",
    ask: `[Buffer.alloc(3), Buffer.alloc(3, "ab"), Buffer.alloc(4, "6162", "hex"), Buffer.alloc(2, 257), Buffer.alloc(3, ""), Buffer.alloc(2, new Uint8Array([1, 2])), Buffer.alloc(5).fill("ab", 1, 4), Buffer.alloc(3).fill("é", "latin1" as any)]`,
  },
  {
    name: "concat, compare and of",
    ask: `[Buffer.concat([Buffer.from("a"), new Uint8Array([1])]), Buffer.concat([Buffer.from("abc")], 2), Buffer.concat([Buffer.from("a")], 3), Buffer.concat([]), Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("abc").compare(Buffer.from("xabc"), 1), Buffer.of(1, 2)]`,
  },
  {
    name: "what is a buffer",
    ask: `[Buffer.isBuffer(Buffer.alloc(1)), Buffer.isBuffer(new Uint8Array(1)), Buffer.alloc(1) instanceof Uint8Array, Buffer.from("ab").slice(0, 1).constructor === Buffer, Object.prototype.toString.call(Buffer.alloc(1)), buffer.Buffer === Buffer]`,
  },
  {
    name: "numbers of every width are written",
    ask: `(() => { const b = Buffer.alloc(48); let o = 0; o = b.writeUInt8(1, o); o = b.writeInt8(-1, o); o = b.writeUInt16LE(0x1234, o); o = b.writeUint16BE(0x1234, o); o = b.writeInt32LE(-5, o); o = b.writeUInt32BE(0xdeadbeef, o); o = b.writeFloatLE(1.5, o); o = b.writeDoubleBE(-2.25, o); o = b.writeBigInt64LE(-3n, o); o = b.writeBigUInt64BE(2n ** 63n, o); o = b.writeUIntBE(0x123456, o, 3); return [b.writeIntLE(-2, o, 3), b]; })()`,
  },
  {
    name: "numbers of every width are read",
    ask: `(() => { const b = Buffer.from("0102030405060788", "hex"); return [b.readUInt8(0), b.readInt8(7), b.readUInt16LE(0), b.readInt16BE(6), b.readUInt32LE(), b.readInt32BE(4), b.readBigUInt64LE(0), b.readBigInt64BE(0), b.readFloatLE(0), b.readDoubleBE(0), b.readUIntBE(0, 3), b.readIntLE(2, 6), b.readUint8(1)]; })()`,
  },
  {
    name: "text is written as far as there is room",
    ask: `(() => { const b = Buffer.alloc(5); return [b.write("abc", 1), b.write("ff", "hex"), b.write("zz", 4, "latin1"), b.write("xyz", 0, 2, "utf8"), b, Buffer.alloc(3).write("€€"), Buffer.alloc(5).write("héllo")]; })()`,
  },
  {
    name: "copies are copies and parts are the same bytes",
    ask: `(() => { const a = Buffer.from("abcdef"), b = Buffer.alloc(4); const n = a.copy(b, 1, 2, 4); const s = a.subarray(1, 3); s[0] = 122; return [n, b, a.toString(), s, a.slice(-2), a.subarray(9)]; })()`,
  },
  {
    name: "text, bytes and numbers are found",
    ask: `(() => { const b = Buffer.from("abcabc"); return [b.indexOf("ca"), b.indexOf("b", -2), b.lastIndexOf("abc"), b.lastIndexOf("b", 3), b.includes(Buffer.from("bc")), b.indexOf(99), b.indexOf("6263", "hex"), b.indexOf("x")]; })()`,
  },
  {
    name: "buffers are lists",
    ask: `[[...Buffer.from("ab")], [...Buffer.from("ab").entries()], Buffer.from("ab").map((x) => x + 1), Buffer.from("cab").sort(), Buffer.from("ab").reverse(), Buffer.from("abc").filter((x) => x > 97), Buffer.from("ab").at(-1), Buffer.from("abcd").swap16(), Buffer.from("abcd").swap32()]`,
  },
  {
    name: "buffers as text and as JSON",
    ask: `[JSON.stringify(Buffer.from("ab")), Buffer.from("ab").toJSON(), Buffer.from("a") + "b", util.format("%s", Buffer.from("abc")), new TextDecoder().decode(Buffer.from("é")), buffer.atob("YQ=="), buffer.btoa("a")]`,
  },
];

const EDGES: Question[] = [
  {
    name: "hexadecimal text ends at a pair with one digit that is none",
    ask: `["aG", "61 7", "6 ", "619."].map((s) => Buffer.from(s, "hex"))`,
  },
  {
    name: "base64url goes both ways",
    ask: `[Buffer.from("_-8", "base64url"), Buffer.from([255, 239]).toString("base64url"), Buffer.byteLength("aGk", "base64url"), Buffer.isEncoding("base64url")]`,
  },
  {
    name: "a buffer equals a plain array of the same bytes",
    ask: `Buffer.from("abc").equals(new Uint8Array([97, 98, 99]))`,
  },
  {
    name: "a character that is cut off at the end is replaced once",
    ask: `[[0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x61, 0xc3]].map((b) => Buffer.from(b).toString())`,
  },
  { name: "nothing is found everywhere", ask: `[Buffer.from("abc").indexOf(""), Buffer.from("abc").indexOf("", 9)]` },
  {
    name: "values of the wrong type are ERR_INVALID_ARG_TYPE",
    ask: `[() => Buffer.from(5 as any), () => Buffer.from(undefined as any), () => Buffer.from({} as any), () => Buffer.alloc("3" as any), () => Buffer.concat("x" as any), () => Buffer.byteLength(5 as any), () => Buffer.from("a").equals("a" as any), () => Buffer.alloc(2).write(5 as any), () => Buffer.alloc(2).readUInt8("0" as any)].map(caught)`,
  },
  {
    name: "values out of range are ERR_OUT_OF_RANGE",
    ask: `[() => Buffer.alloc(-1), () => Buffer.alloc(NaN), () => Buffer.alloc(1).writeUInt8(256, 0), () => Buffer.alloc(2).readUInt8(2), () => Buffer.alloc(2).readUInt8(0.5), () => Buffer.alloc(8).readUIntBE(0, 0), () => Buffer.alloc(8).writeUIntBE(1, 0, 7), () => Buffer.from("ab").copy(Buffer.alloc(1), 0, 9)].map(caught)`,
  },
  {
    name: "reading beyond the end is ERR_BUFFER_OUT_OF_BOUNDS",
    ask: `[() => Buffer.alloc(2).readUInt32LE(0), () => Buffer.from(new ArrayBuffer(2), 3)].map(caught)`,
  },
  {
    name: "an unknown encoding is ERR_UNKNOWN_ENCODING",
    ask: `[() => Buffer.from("x", "nope" as any), () => Buffer.from("x").toString("nope" as any), () => Buffer.alloc(4).write("a", "nope" as any), () => Buffer.alloc(3).fill("x", "nope" as any)].map(caught)`,
  },
  { name: "a buffer is shown by its bytes", ask: `util.inspect(Buffer.from("abc"))` },
  { name: "the class keeps its name", ask: `[Buffer.name, Buffer.from("a").constructor.name]` },
  { name: "isUtf8 and isAscii", ask: `[buffer.isUtf8(Buffer.from([255])), buffer.isAscii(Buffer.from("a"))]` },
  {
    name: "text goes from one encoding to another",
    ask: `[["utf8", "latin1"], ["utf8", "ascii"], ["utf8", "ucs2"], ["utf8", "utf8"], ["latin1", "utf8"], ["hex", "utf8"], ["utf8", "nope"]].map(([from, to]: any) => { try { return buffer.transcode(Buffer.from("a\u00e9\u20ac\ud83d\ude00"), from, to); } catch (error: any) { return error.code; } })`,
  },
  { name: "copyBytesFrom", ask: `Buffer.copyBytesFrom(new Uint16Array([1, 2]), 1)` },
  { name: "the longest text is longer than nothing", ask: `buffer.constants.MAX_STRING_LENGTH > 0` },
  { name: "Buffer on globalThis", ask: "typeof (globalThis as any).Buffer" },
];

const DIFFERENT: Question[] = [
  {
    name: "buffers of more than 2 GB",
    ask: "buffer.constants.MAX_LENGTH",
    differs: { reason: "an isolate has less memory than that", cordon: 2 ** 31 - 1 },
  },
  {
    name: "Buffer on globalThis by a name that is not written there",
    ask: 'typeof (globalThis as any)["Buf" + "fer"]',
    differs: { reason: "globals of Node's are built into a bundle that names them", cordon: "undefined" },
  },
];

besideNode("Buffer in a hook and in Node", {
  top: `import * as buffer from "node:buffer";\nimport util from "node:util";`,
  questions: [...USUAL, ...EDGES, ...DIFFERENT],
});

test.each([
  ["a named import", `import { Buffer as B } from "node:buffer";`, ""],
  ["an import of all", `import * as all from "node:buffer"; const B = all.Buffer;`, ""],
  ["a default import", `import all from "node:buffer"; const B = all.Buffer;`, ""],
  ["require", `const { Buffer: B } = require("buffer");`, ""],
  ["a dynamic import", "", `const { Buffer: B } = await import("node:buffer");`],
  ["no import at all", "", "const B = Buffer;"],
])("a hook comes by Buffer through %s", async (_way, top, inside) => {
  const body = `${inside} return { block: true, reason: B.from("hi").toString("hex") };`;
  const { call, host } = await startSession({ asked: onToolCall(body, top) });
  expect(host.hooks[0]?.reason).toBeUndefined();
  expect(await call()).toMatchObject({ reason: "6869" });
});
