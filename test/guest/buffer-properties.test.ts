import { Buffer as NodeBuffer } from "node:buffer";
import { StringDecoder as NodeDecoder } from "node:string_decoder";
import fc, { type Arbitrary } from "fast-check";
import { expect, test, vi } from "vitest";
import { BRIDGE } from "../../sandbox/guest/realm/bridge.ts";
import { bytesOfText, textOfBytes } from "../../sandbox/process/conversions.ts";

type Class = typeof NodeBuffer;

/** The classes for hooks, in this process: an isolate would take minutes for so many cases. */
const { HookBuffer, HookDecoder } = await (async () => {
  const global = globalThis as { [BRIDGE]?: object };
  vi.resetModules();
  global[BRIDGE] = { bytesOfText, textOfBytes };
  const { Buffer } = await import("../../sandbox/guest/node/buffer.ts");
  const { StringDecoder } = await import("../../sandbox/guest/node/string-decoder.ts");
  delete global[BRIDGE];
  return { HookBuffer: Buffer as unknown as Class, HookDecoder: StringDecoder };
})();

const shown = (value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: [...value] } : Array.isArray(value) ? value.map(shown) : value;

function outcome(act: (Buffer: Class) => unknown, Buffer: Class): unknown {
  try {
    return shown(act(Buffer));
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException;
    return { name, code };
  }
}

// biome-ignore format: a list
const ENCODING = fc.constantFrom("utf8", "utf-8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "ucs2", "ucs-2", "utf16le", "UTF8", "nope", "", undefined);
const CHARACTERS = [..."abc1f0Zé€-_+/ \n=\x80ÿ", "\ud800", "\udc00", "\u{10348}"];
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 9 }).map((all) => all.join("")) },
  // About as long as what is converted elsewhere.
  fc.array(fc.constantFrom("a", "é", "€", "\ud800"), { minLength: 60, maxLength: 68 }).map((all) => all.join("")),
);
// biome-ignore format: a list
const byte = fc.constantFrom(0x61, 0x62, 0x63, 0, 0xff, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x90, 0x88, 0xed, 0xa0, 0x31);
const bytes = fc.oneof(
  { weight: 4, arbitrary: fc.array(byte, { maxLength: 12 }) },
  fc.array(byte, { minLength: 60, maxLength: 68 }),
);
// biome-ignore format: a list
const place = fc.constantFrom<unknown>(undefined, 0, 1, 2, 5, -1, -3, 100, -100, Number.NaN, 1.5, "1", null, Infinity, -Infinity, 2 ** 31, 2 ** 32 + 1);
const few = fc.constantFrom<unknown>(0, 1, 2, 3, 9, -1, 1.5, "1", undefined);
const number = fc.constantFrom(
  0,
  1,
  -1,
  127,
  128,
  255,
  256,
  65535,
  65536,
  -129,
  2 ** 31,
  2 ** 32,
  2 ** 47,
  2 ** 48,
  1.5,
  NaN,
);

/** What is searched: a text, bytes of both classes, or a number. */
const sought: Arbitrary<(Buffer: Class) => string | Uint8Array | number> = fc.oneof(
  text.map((one) => () => one),
  fc.array(byte, { maxLength: 3 }).map((list) => () => new Uint8Array(list)),
  fc.array(byte, { maxLength: 3 }).map((list) => (Buffer: Class) => Buffer.from(list)),
  fc.constantFrom(0x61, 0xff, 300, -1, 1.5).map((one) => () => one),
);
const isWide = (encoding: unknown): boolean => /^u(cs|tf-?16)/i.test(`${encoding}`);
const isBase64 = (encoding: unknown): boolean => `${encoding}`.startsWith("base64");

/** Node counts by half of what it is given, and takes the lower byte of a character for a sign of base64: its own mistakes. */
const isMistaken = (what: unknown, encoding: unknown): boolean =>
  (isWide(encoding) && (what as { length?: number }).length === 0) || hasWide(what, encoding);
const hasWide = (what: unknown, encoding: unknown): boolean =>
  isBase64(encoding) && typeof what === "string" && /[^\0-\xff]/.test(what);

type Act = (Buffer: Class) => unknown;
type Loose = Record<string, (...args: unknown[]) => unknown>;
const loose = (value: unknown): Loose => value as Loose;

/** Calls a method with arguments that Node's types forbid, too. Returns what it returned, and the bytes afterwards. */
const after =
  (list: number[], method: string, args: readonly unknown[]): Act =>
  (Buffer) => {
    const buffer = Buffer.from(list);
    return [loose(buffer)[method]?.(...args), buffer];
  };

const READS = ["UInt8", "Int8", "UInt16LE", "Int16BE", "UInt32BE", "Int32LE", "FloatBE", "DoubleLE", "BigInt64LE"];
const SIZED = ["UIntLE", "UIntBE", "IntLE", "IntBE", "UintLE"];
const BIG = fc.constantFrom(0n, -1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, -(2n ** 63n) - 1n);
const of = (...names: string[]) => fc.constantFrom(...names);

const tables: Record<string, Arbitrary<Act>> = {
  "text becomes bytes": fc
    .tuple(text, ENCODING)
    .filter(([one, encoding]) => !hasWide(one, encoding))
    .map(
      ([one, encoding]) =>
        (Buffer) =>
          Buffer.from(one, encoding as BufferEncoding),
    ),
  "the bytes of a text are counted": fc.tuple(text, ENCODING).map(
    ([one, encoding]) =>
      (Buffer) =>
        Buffer.byteLength(one, encoding as BufferEncoding),
  ),
  "bytes become text": fc.tuple(bytes, ENCODING, place, place).map(([list, ...args]) => after(list, "toString", args)),
  "text is written": fc
    .tuple(fc.array(byte, { maxLength: 8 }), text, fc.oneof(few, ENCODING), fc.oneof(few, ENCODING), ENCODING)
    .filter(([, one, ...names]) => !names.some((name) => hasWide(one, name)))
    .map(([list, ...args]) => after(list, "write", args)),
  "bytes are filled with a text": fc
    .tuple(fc.array(byte, { maxLength: 8 }), text, fc.oneof(few, ENCODING), fc.oneof(few, ENCODING), ENCODING)
    .filter(([, one, ...names]) => !names.some((name) => hasWide(one, name)))
    .map(([list, ...args]) => after(list, "fill", args)),
  "bytes are filled with others": fc
    .tuple(
      fc.array(byte, { maxLength: 8 }),
      fc.oneof(
        number,
        bytes.map((list) => new Uint8Array(list)),
      ),
      few,
      few,
    )
    .map(([list, ...args]) => after(list, "fill", args)),
  "memory is taken": fc
    .tuple(fc.oneof(few, fc.nat(6)), fc.oneof(text, number), ENCODING)
    .filter(([, value, encoding]) => !hasWide(value, encoding))
    .map(
      ([size, ...args]) =>
        (Buffer) =>
          loose(Buffer).alloc?.(size, ...args),
    ),
  "something is searched": fc
    .tuple(of("indexOf", "lastIndexOf", "includes"), bytes, sought, place, ENCODING)
    .filter(([, , what, , encoding]) => !isMistaken(what(NodeBuffer), encoding))
    .map(
      ([method, list, what, ...rest]) =>
        (Buffer) =>
          loose(Buffer.from(list))[method]?.(what(Buffer), ...rest),
    ),
  "two are compared": fc
    .tuple(bytes, bytes, fc.array(few, { maxLength: 4 }))
    .map(([one, other, places]) => (Buffer) => [
      loose(Buffer.from(one)).compare?.(new Uint8Array(other), ...places),
      Buffer.compare(new Uint8Array(one), Buffer.from(other)),
      Buffer.from(one).equals(new Uint8Array(other)),
      Buffer.from(one).equals(Buffer.from(one)),
    ]),
  "bytes are copied": fc
    .tuple(bytes, fc.nat(6), fc.array(few, { maxLength: 3 }))
    .map(([list, size, places]) => (Buffer) => {
      const target = Buffer.alloc(size);
      return [loose(Buffer.from(list)).copy?.(target, ...places), target];
    }),
  "a part is taken": fc
    .tuple(of("slice", "subarray"), bytes, place, place)
    .map(([method, list, ...places]) => after(list, method, places)),
  "buffers are joined": fc.tuple(bytes, bytes, few).map(
    ([one, other, length]) =>
      (Buffer) =>
        loose(Buffer).concat?.([Buffer.from(one), new Uint8Array(other)], length),
  ),
  "groups are turned around": fc
    .tuple(of("swap16", "swap32", "swap64"), bytes)
    .map(([method, list]) => after(list, method, [])),
  "numbers are read": fc.tuple(of(...READS), bytes, few).map(([kind, list, at]) => after(list, `read${kind}`, [at])),
  "numbers of any size are read": fc
    .tuple(of(...SIZED), bytes, few, fc.oneof(few, fc.nat(7)))
    .map(([kind, list, ...args]) => after(list, `read${kind}`, args)),
  "numbers are written": fc
    .tuple(of(...READS.slice(0, -1)), number, few)
    .map(([kind, ...args]) => after([1, 2, 3, 4, 5, 6, 7, 8], `write${kind}`, args)),
  "numbers of any size are written": fc
    .tuple(of(...SIZED), number, fc.constantFrom(0, 1, 9, -1), fc.oneof(few, fc.nat(7)))
    .map(([kind, ...args]) => after([1, 2, 3, 4, 5, 6, 7, 8], `write${kind}`, args)),
  "large numbers are written": fc
    .tuple(of("BigInt64LE", "BigUInt64BE", "BigUint64LE"), BIG, few)
    .map(([kind, ...args]) => after([1, 2, 3, 4, 5, 6, 7, 8], `write${kind}`, args)),
  "a buffer is made of memory": fc.tuple(bytes, place, place).map(
    ([list, ...places]) =>
      (Buffer) =>
        loose(Buffer).from?.(new Uint8Array(list).buffer, ...places),
  ),
  "a buffer is made of a view's bytes": fc.tuple(fc.array(fc.nat(70_000), { maxLength: 5 }), few, few).map(
    ([list, ...places]) =>
      (Buffer) =>
        loose(Buffer).copyBytesFrom?.(new Uint16Array(list), ...places),
  ),
};

test.each(Object.entries(tables))("a hook's Buffer does as Node's where %s", (_name, acts) => {
  fc.assert(
    fc.property(acts, (act) => {
      expect(outcome(act, HookBuffer)).toEqual(outcome(act, NodeBuffer));
    }),
    { numRuns: 2000 },
  );
});

test("half a character at the end counts for where a search from the end begins", () => {
  const list = [...Array.from({ length: 58 }, () => 0x61), 0xac, 0x31, 0x61];
  const place = (Buffer: typeof NodeBuffer) => Buffer.from(list).lastIndexOf(new Uint8Array([0xac, 0x31]), -3, "ucs2");
  expect(place(HookBuffer)).toBe(58);
  expect(place(NodeBuffer)).toBe(58);
});

test("a buffer of another copy of the class is one, as streams have it", async () => {
  vi.resetModules();
  const { Buffer: Other } = await import("../../sandbox/guest/node/buffer.ts");
  expect(Other).not.toBe(HookBuffer);
  const buffer: unknown = Other.from([1]);
  expect([buffer instanceof HookBuffer, HookBuffer.isBuffer(buffer), HookBuffer.isBuffer(new Uint8Array(1))]).toEqual([
    true,
    true,
    false,
  ]);
});

const parts = fc.array(fc.array(byte, { maxLength: 5 }), { maxLength: 6 });

test("a hook's StringDecoder makes the same text of bytes in parts as Node's", () => {
  fc.assert(
    fc.property(ENCODING, parts, fc.boolean(), (encoding, all, hasLast) => {
      const textOf = (Decoder: new (name?: string) => { write(bytes: Buffer): string; end(bytes?: Buffer): string }) =>
        outcome((Buffer) => {
          const decoder = new Decoder(encoding);
          const last = hasLast ? Buffer.from([0xc3]) : undefined;
          // Used again after its end.
          const texts = all.map((list) => decoder.write(Buffer.from(list)));
          return [texts.join(""), decoder.end(last), decoder.write(Buffer.from([0x61])), decoder.end()];
        }, NodeBuffer);
      expect(textOf(HookDecoder)).toEqual(textOf(NodeDecoder as never));
    }),
    { numRuns: 4000 },
  );
});

test.each(["utf8", "base64", undefined, "latin1", "hex", "ascii"])(
  "a hook's StringDecoder of %s gives text as soon as Node's",
  (encoding) => {
    fc.assert(
      fc.property(parts, (all) => {
        const ours = new HookDecoder(encoding);
        const theirs = new NodeDecoder(encoding as BufferEncoding) as NodeDecoder &
          Record<"lastNeed" | "lastTotal", number>;
        for (const list of all) {
          expect(ours.write(new Uint8Array(list))).toBe(theirs.write(new Uint8Array(list)));
          expect([ours.lastNeed, ours.lastTotal]).toEqual([theirs.lastNeed, theirs.lastTotal]);
        }
        expect(ours.end()).toBe(theirs.end());
      }),
      { numRuns: 1000 },
    );
  },
);

test("old code calls StringDecoder for an object of its own", () => {
  const call = (Decoder: unknown): unknown => {
    function Own(this: object): void {
      (Decoder as (this: object, name: string) => void).call(this, "utf8");
    }
    Object.setPrototypeOf(Own.prototype, (Decoder as { prototype: object }).prototype);
    const made = new (Own as unknown as new () => NodeDecoder & { text(bytes: Buffer, offset: number): string })();
    const bytes = NodeBuffer.from("xé");
    return [made.write(bytes.subarray(0, 2)), made.write(bytes.subarray(2)), made.text(bytes, 1), made.end()];
  };
  expect(call(HookDecoder)).toEqual(call(NodeDecoder));
});

test("a StringDecoder names its encoding, and refuses what Node's refuses", () => {
  const facts = (Decoder: new (name?: never) => { encoding: string; write(part: never): string }) =>
    ["UTF-8", "ucs2", "utf16le", "binary", "latin1", "BASE64", undefined, null, "", "nope", 5].map((name) =>
      outcome(() => {
        const decoder = new Decoder(name as never);
        return [decoder.encoding, decoder.write("text" as never), outcome(() => decoder.write(5 as never), NodeBuffer)];
      }, NodeBuffer),
    );
  expect(facts(HookDecoder)).toEqual(facts(NodeDecoder as never));
});
