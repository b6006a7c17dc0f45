import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfText, textOfBytes } from "../../sandbox/process/conversions.ts";
import { MAX_PIECE } from "../../sandbox/wire/conversions.ts";
import { startFacts } from "./facts.ts";

/** What texts and bytes become, in JavaScript for a hook and for Node. */
const RESULTS = `
const told = (act) => { try { return act(); } catch (error) { return [error.name, error.code]; } };
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const ofText = (text) => [
  ...["utf8", "UTF-8", undefined, "latin1"].map((name) => hex(Buffer.from(text, name))),
  // Of other characters, Node takes the lower byte for a sign.
  /^[\\0-\\xff]*$/.test(text) && ["base64", "base64url", "hex"].map((name) => hex(Buffer.from(text, name))),
  ...["ucs2", "ascii"].map((name) => hex(Buffer.from(text, name))),
  Buffer.byteLength(text), hex(new TextEncoder().encode(text)), Buffer.from(text, "utf8") instanceof Buffer,
];
const ofBytes = (bytes, [from, to]) => [
  ...["utf8", "UTF-8", undefined, "base64", "base64url", "hex", "latin1", "ascii", "ucs2"].map((name) => bytes.toString(name)),
  ...["utf8", "base64", "hex"].map((name) => bytes.toString(name, from, to ?? undefined)),
  ...ENDS.flatMap((end) => [bytes.toString("utf8", end), bytes.toString("utf8", 1, end)]),
  String(bytes), bytes.subarray(from, to ?? undefined).toString(), bytes.toLocaleString(),
  ...[{}, { ignoreBOM: true }, { fatal: true }].map((how) => told(() => new TextDecoder("utf-8", how).decode(bytes))),
  new TextDecoder().decode(new Uint8Array(bytes).buffer),
  told(() => {
    const parts = new TextDecoder();
    const stream = true;
    return [parts.decode(bytes.subarray(0, 300), { stream }), parts.decode(bytes.subarray(300)), parts.decode(bytes)];
  }),
];
const ENDS = [-Infinity, -3e9, -1, 0.9, 1.9, 300.9, 2 ** 31, 2 ** 32 + 1, Infinity, NaN];
const results = ({ texts, bytes }) => [
  texts.map((codes) => ofText(String.fromCharCode(...codes))),
  bytes.map(([list, range]) => ofBytes(Buffer.from(list), range)),
];`;

/** The length from which a hook's text is converted elsewhere. */
const LONG = 256;

const length = { minLength: LONG - 4, maxLength: LONG + 4 };
const codes = fc.oneof(
  fc.array(fc.constantFrom(0x61, 0xe9, 0xd800, 0xd83d, 0xdc00), { maxLength: 6 }),
  fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7fe, max: 0xe001 })), length),
  fc.array(fc.constantFrom(..."abcdefABCDEF0123456789+/-_= \n=".split("").map((sign) => sign.charCodeAt(0))), length),
  fc.array(fc.constantFrom(...Array.from("0123456789abcdefABCDEF", (sign) => sign.charCodeAt(0))), length),
  fc.uint8Array(length).map((bytes) => Array.from(Buffer.from(bytes).toString("base64"), (sign) => sign.charCodeAt(0))),
);
const PARTS = [
  [0x61],
  [0xc3, 0xa9],
  [0xe2, 0x82, 0xac],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f],
  [0xff],
  [0xc0],
];
const bytes = fc.oneof(
  fc.array(fc.constantFrom(...PARTS), { minLength: 80, maxLength: 140 }).map((parts) => parts.flat()),
  fc.array(fc.constantFrom(...PARTS), { maxLength: 9 }).map((parts) => parts.flat()),
  fc.uint8Array(length).map((list) => [...list]),
);
const range = fc.tuple(
  fc.integer({ min: -3, max: LONG + 4 }),
  fc.option(fc.integer({ min: -3, max: 600 }), { nil: undefined }),
);

test("text and bytes become each other as in Node, whatever is in them and however long they are", async () => {
  const { ask, folder } = await startFacts(
    {
      all: `const { Buffer } = await import("node:buffer"); const fs: any = await import("node:fs"); ${RESULTS}
        fs.writeFileSync("told", JSON.stringify(results(JSON.parse(fs.readFileSync("asked", "utf8")))));`,
    },
    {
      grant: {
        capabilities: { fs: { read: ["$CWD/**"], write: ["$CWD/**"] } },
        limits: { memoryMb: 256, cpuMs: 60_000 },
      },
    },
  );
  const asked = {
    texts: fc.sample(codes, 300),
    bytes: fc.sample(fc.tuple(bytes, range), 300),
  };
  const work = join(folder, "work");
  writeFileSync(join(work, "asked"), JSON.stringify(asked));
  await ask("all");
  const told = JSON.parse(readFileSync(join(work, "told"), "utf8"));
  const node = new Function("Buffer", `${RESULTS}; return results`)(Buffer)(asked);
  for (const [kind, inputs] of [asked.texts, asked.bytes].entries())
    for (const [at, input] of inputs.entries())
      expect
        .soft(told[kind][at], JSON.stringify(input).slice(0, 300))
        .toEqual(JSON.parse(JSON.stringify(node[kind][at])));
});

test("the sandbox process converts what is of the longest length, and not what is longer", () => {
  const text = "x".repeat(MAX_PIECE);
  expect(bytesOfText(text)).toBe(Buffer.from(text).toString("base64"));
  expect(bytesOfText(`${text}x`)).toBe("");
  const base64 = "A".repeat(MAX_PIECE);
  expect(textOfBytes(base64)).toBe("\0".repeat((MAX_PIECE / 4) * 3));
  expect(textOfBytes(`${base64}A`)).toBe("");
});

const PIECE_BYTES = (MAX_PIECE / 4) * 3;

/** What stands across the end of a piece. */
const ACROSS = `
const texts = ["😀", "é", "€", "\\ud83d", "\\udc00", "\\ud83d😀", "\\ud83d\\ud83d"];
const bytes = [[0xf0, 0x9f, 0x98, 0x80], [0xe2, 0x82, 0xac], [0xc3, 0xa9], [0xf0, 0x9f], [0xe2, 0x82], [0xff, 0xfe], [0xed, 0xa0, 0x80],
  Array(9).fill(0x80), [0xf0, ...Array(9).fill(0x80)], [0xf0, 0x9f, 0x98, 0x80, 0x80, 0x80, 0x80], [0xe2, 0x82, 0xf0, 0x9f, 0x98]];
const across = (shift) => [
  ...texts.map((text) => {
    const whole = "a".repeat(${MAX_PIECE} + shift) + text + "b";
    const found = Buffer.from(whole);
    return [found.length, Buffer.byteLength(whole), [...found.subarray(-20)]];
  }),
  ...bytes.map((list) => {
    const whole = Buffer.concat([Buffer.alloc(${PIECE_BYTES} + shift, 97), Buffer.from(list), Buffer.from("b")]);
    const found = whole.toString();
    return [found.length, [...found.slice(-20)].map((one) => one.codePointAt(0))];
  }),
];`;

test("and what stands across the end of a piece", async () => {
  const shifts = [-4, -3, -2, -1, 0, 1];
  const facts = shifts.map((shift) => [
    shift,
    `const { Buffer } = await import("node:buffer"); ${ACROSS} return across(${shift});`,
  ]);
  const { ask } = await startFacts(Object.fromEntries(facts), { grant: { limits: { cpuMs: 60_000 } } });
  const node = new Function("Buffer", `${ACROSS}; return across`)(Buffer);
  for (const shift of shifts) expect.soft(await ask(String(shift)), String(shift)).toEqual(node(shift));
});

/** From how many bytes on OpenSSL makes the digest, and up to how many are kept for it. */
const LEAST = 16 * 1024;
const MOST = 6 * 1024 * 1024;

test("a digest is that of Node, whoever makes it: of little, of much, and of what is too much at once", async () => {
  const sizes = [0, LEAST - 1, LEAST, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES];
  const names = ["md5", "sha1", "sha224", "sha256", "SHA-384", "sha512", "ripemd160", "sha3-256", "sha3-512"];
  const { ask } = await startFacts(
    {
      plain: `const { createHash, createHmac } = await import("node:crypto");
        return ${JSON.stringify(names)}.map((name: string) => ${JSON.stringify(sizes)}.map((size: number) => {
          const bytes = new Uint8Array(size).fill(7);
          return [createHash(name).update(bytes).digest("hex"), createHmac(name, "key").update(bytes).digest("base64")];
        }));`,
      parts: `const { createHash } = await import("node:crypto");
        const bytes = new Uint8Array(20).fill(1); const hash = createHash("sha256");
        for (let at = 0; at < 2500; at++) { bytes.fill(at); hash.update(bytes); }
        const copy = hash.copy(); copy.update("more");
        bytes.fill(0);
        return [hash.digest("hex"), copy.digest("hex")];`,
      most: `const { createHash } = await import("node:crypto");
        return [${MOST}, ${MOST + 1}].map((size) => createHash("md5").update(new Uint8Array(size)).update("").digest("hex"));`,
    },
    { grant: { limits: { memoryMb: 256, cpuMs: 60_000 } } },
  );
  expect(await ask("plain")).toEqual(
    names.map((name) =>
      sizes.map((size) => {
        const bytes = new Uint8Array(size).fill(7);
        const plain = name.toLowerCase().replace("sha-", "sha");
        return [createHash(plain).update(bytes).digest("hex"), createHmac(plain, "key").update(bytes).digest("base64")];
      }),
    ),
  );
  const whole = Buffer.concat(Array.from({ length: 2500 }, (_, at) => Buffer.alloc(20, at)));
  const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
  expect(await ask("parts")).toEqual([sha256(whole), sha256(Buffer.concat([whole, Buffer.from("more")]))]);
  const md5 = (size: number): string => createHash("md5").update(new Uint8Array(size)).digest("hex");
  expect(await ask("most")).toEqual([md5(MOST), md5(MOST + 1)]);
});
