import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadFrame, encodeFrame, encodeInto, FrameReader, headerOf, longestOf } from "../../sandbox/wire/frame.ts";
import { MAX_DEPTH, MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { isCallHead, readMessage, readSync, readVerdict } from "../../src/supervisor/guest-frames.ts";
import { BadJson, parseUntrusted, toPlain } from "../../src/supervisor/untrusted-json.ts";
import { anyText } from "../support/any-text.ts";

describe("a frame", () => {
  function reader() {
    const got: [number, number, string][] = [];
    return { got, reader: new FrameReader((...frame) => got.push(frame)) };
  }
  const header = (length: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(length, 0);
    return bytes;
  };

  test("of the maximum size is read, in pieces of any size", () => {
    const frame = encodeFrame(1, 2, "x".repeat(MAX_FRAME_BYTES));
    for (const size of [frame.length, 65_536, 1_000_003]) {
      const { got, reader: frames } = reader();
      for (let at = 0; at < frame.length; at += size) frames.push(frame.subarray(at, at + size));
      expect(got.map(([kind, number, text]) => [kind, number, text.length])).toEqual([[1, 2, MAX_FRAME_BYTES]]);
    }
  });

  test("one byte over the maximum size is refused at its length, before its bytes", () => {
    const { got, reader: frames } = reader();
    expect(() => frames.push(header(MAX_FRAME_BYTES + 6))).toThrow(BadFrame);
    expect(got).toEqual([]);
    expect(() => encodeFrame(1, 2, "x".repeat(MAX_FRAME_BYTES + 1))).toThrow(RangeError);
    expect(() => headerOf(1, 2, MAX_FRAME_BYTES + 1)).toThrow(RangeError);
    expect(headerOf(1, 2, MAX_FRAME_BYTES)).toEqual(encodeFrame(1, 2, "x".repeat(MAX_FRAME_BYTES)).subarray(0, 9));
  });

  test("is counted in bytes, not in characters", () => {
    expect(() => encodeFrame(1, 2, "é".repeat(MAX_FRAME_BYTES / 2 + 1))).toThrow(RangeError);
    expect(encodeFrame(1, 2, "é".repeat(MAX_FRAME_BYTES / 2)).length).toBe(MAX_FRAME_BYTES + 9);
  });

  test("with only a header is read, and a shorter one is refused", () => {
    const { got, reader: frames } = reader();
    frames.push(encodeFrame(7, 0xffffffff, ""));
    expect(got).toEqual([[7, 0xffffffff, ""]]);
    expect(() => frames.push(header(4))).toThrow(BadFrame);
  });

  test("is read one byte at a time, and several at once", () => {
    const bytes = Buffer.concat([encodeFrame(1, 1, "one"), encodeFrame(2, 2, ""), encodeFrame(3, 3, "drei ✓")]);
    const expected = [
      [1, 1, "one"],
      [2, 2, ""],
      [3, 3, "drei ✓"],
    ];
    const once = reader();
    once.reader.push(bytes);
    expect(once.got).toEqual(expected);
    const slowly = reader();
    for (const byte of bytes) slowly.reader.push(Buffer.of(byte));
    expect(slowly.got).toEqual(expected);
  });

  test("is read from pieces of any length, which come in one buffer", () => {
    const frame = fc.tuple(fc.nat(0xff), fc.nat(0xffffffff), anyText({ maxLength: 40 }));
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), lengths, (frames, pieces) => {
        const { got, reader: all } = reader();
        const bytes = Buffer.concat(frames.map((parts) => encodeFrame(...parts)));
        const buffer = Buffer.alloc(60);
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const length = bytes.copy(buffer, 0, at, at + (pieces[turn % pieces.length] as number));
          all.push(buffer, length);
          buffer.fill(0xff);
          at += length;
        }
        expect(got).toEqual(frames);
      }),
    );
  });

  test("has the same bytes in a buffer that is used again, and no more than its text may have", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary-ascii" }),
      anyText(),
      fc.string({ unit: fc.constantFrom("é", "ÿ", "\0", "\ud800", "a") }),
    );
    const buffer = Buffer.alloc(1000);
    fc.assert(
      fc.property(fc.nat(20), fc.nat(0xff), fc.nat(0xffffffff), texts, (at, kind, number, text) => {
        const end = encodeInto(buffer, at, kind, number, text);
        expect(buffer.subarray(at, end).equals(encodeFrame(kind, number, text))).toBe(true);
        expect(end - at).toBeLessThanOrEqual(longestOf(text));
      }),
    );
    const longest = "\u20ac".repeat(30);
    expect(encodeInto(buffer, 0, 1, 2, longest)).toBe(longestOf(longest));
  });

  test("after a refused one is not delivered", () => {
    const { got, reader: frames } = reader();
    expect(() => frames.push(Buffer.concat([encodeFrame(1, 1, ""), header(0), encodeFrame(2, 2, "")]))).toThrow(
      BadFrame,
    );
    expect(got).toEqual([[1, 1, ""]]);
  });
});

describe("untrusted JSON", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
  const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  test.each([nested, deepObject])("at the maximum depth is read, one level deeper is refused (%#)", (make) => {
    expect(() => parseUntrusted(make(MAX_DEPTH))).not.toThrow();
    expect(() => parseUntrusted(make(MAX_DEPTH + 1))).toThrow(BadJson);
    expect(() => parseUntrusted(make(100_000))).toThrow(BadJson);
  });

  test("with the maximum number of values is read, with more it is refused, in any arrangement", () => {
    const list = (count: number) => `[${Array(count).fill(0).join(",")}]`;
    expect((parseUntrusted(list(200_000)) as unknown[]).length).toBe(200_000);
    expect(() => parseUntrusted(list(200_001))).toThrow(BadJson);
    const pair = (count: number) => `{"a":${list(count)},"b":${list(count)}}`;
    expect(() => parseUntrusted(pair(99_999))).not.toThrow();
    expect(() => parseUntrusted(pair(100_000))).toThrow(BadJson);
  });

  test("with an object of the most names is read, with one more it is refused", () => {
    const object = (count: number) => `{"a":[{${Array.from({ length: count }, (_, at) => `"${at}":0`).join(",")}}]}`;
    expect(() => parseUntrusted(object(20_000))).not.toThrow();
    expect(() => parseUntrusted(object(20_001))).toThrow(BadJson);
  });

  test.each(["", "undefined", "{", "NaN", "[1,]", "{'a':1}", "1 2"])("that is not JSON is refused: %j", (text) => {
    expect(() => parseUntrusted(text)).toThrow(BadJson);
  });

  test("becomes values without a prototype, whose keys mean nothing", () => {
    const value = parseUntrusted(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"list":[{"toString":1}]}',
    ) as { list: object[] };
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(["__proto__", "constructor", "list"]);
    expect("polluted" in value).toBe(false);
    expect(Object.getPrototypeOf(value.list[0])).toBeNull();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("made plain has prototypes again, and no key that reaches one", () => {
    const plain = toPlain(
      parseUntrusted('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"b":[{"__proto__":1,"c":2}]}}'),
    ) as { a: object };
    expect(plain).toEqual({ a: { b: [{ c: 2 }] } });
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect("polluted" in plain).toBe(false);
    expect("polluted" in plain.a).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("a message from a sandbox", () => {
  const apply = (changes: object) => ({
    t: "call",
    apply: { id: "1", type: "APPLY", path: ["send"], argumentList: [{ type: "RAW", value: 1 }], ...changes },
  });
  const raws = (count: number) => Array(count).fill({ type: "RAW", value: 1 });
  const events = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`e${at}`, 1]));
  /** What is accepted at a limit, and what is refused one over it. */
  const pairs: [string, object, object][] = [
    ["an id", apply({ id: "x".repeat(100) }), apply({ id: "x".repeat(101) })],
    ["an id's presence", apply({ id: "x" }), apply({ id: "" })],
    ["a path", apply({ path: ["x".repeat(64)] }), apply({ path: ["x".repeat(65)] })],
    ["a path's length", apply({}), apply({ path: ["a", "b"] })],
    ["arguments", apply({ argumentList: raws(9) }), apply({ argumentList: raws(10) })],
    ["no arguments", apply({ argumentList: raws(1) }), apply({ argumentList: [] })],
    [
      "a log line",
      { t: "log", level: "info", text: "x".repeat(16_000) },
      { t: "log", level: "info", text: "x".repeat(16_001) },
    ],
    [
      "a log line's position",
      { t: "log", level: "info", text: "", at: "x".repeat(1000) },
      { t: "log", level: "info", text: "", at: "x".repeat(1001) },
    ],
    [
      "an error's message",
      { t: "error", error: { message: "x".repeat(8000) } },
      { t: "error", error: { message: "x".repeat(8001) } },
    ],
    [
      "an error's stack",
      { t: "error", error: { message: "", stack: "x".repeat(16_000) } },
      { t: "error", error: { message: "", stack: "x".repeat(16_001) } },
    ],
    ["handlers", { t: "events", events: { a: 100 } }, { t: "events", events: { a: 101 } }],
    ["a part of a handler", { t: "events", events: { a: 1 } }, { t: "events", events: { a: 1.5 } }],
    ["event types", { t: "events", events: events(64) }, { t: "events", events: events(65) }],
    [
      "an event's name",
      { t: "events", events: { ["x".repeat(64)]: 1 } },
      { t: "events", events: { ["x".repeat(65)]: 1 } },
    ],
    [
      "a call's number",
      { t: "abort", call: Number.MAX_SAFE_INTEGER },
      { t: "abort", call: Number.MAX_SAFE_INTEGER + 1 },
    ],
    ["a negative number", { t: "abort", call: 0 }, { t: "abort", call: -1 }],
  ];
  test.each(pairs)("is accepted at the limit of %s and refused over it", (_, at, beyond) => {
    expect(() => readMessage(JSON.stringify(at))).not.toThrow();
    expect(() => readMessage(JSON.stringify(beyond))).toThrow();
  });

  test.each(["GET", "SET", "CONSTRUCT", "ENDPOINT", "RELEASE", "HANDLER", "apply", ""])(
    "is refused with Comlink's type %j",
    (type) => {
      expect(() => readMessage(JSON.stringify(apply({ type })))).toThrow();
    },
  );

  test.each(["call", "abort", "loaded", "failed", "events", "log", "error"])(
    "of type %s is refused without its keys",
    (t) => {
      expect(() => readMessage(JSON.stringify({ t }))).toThrow();
    },
  );
});

test("a verdict is accepted at its limit of errors and refused over it", () => {
  const errors = (count: number) => JSON.stringify({ errors: Array(count).fill({ message: "x" }) });
  expect(() => readVerdict("f", errors(100))).not.toThrow();
  expect(() => readVerdict("f", errors(101))).toThrow();
  expect(() => readVerdict("r", '{"result":{}}')).not.toThrow();
  for (const text of ["null", "[]", '""', '{"block":true}', '{"input":null}', '{"input":[]}'])
    expect(() => readVerdict("r", text)).toThrow();
});

test("a verdict is refused if its content does not fit its kind", () => {
  const said = { p: "", r: '{"result":{}}', f: '{"errors":[{"message":"x"}]}' };
  for (const kind of ["p", "r", "f", "", "P", "0", undefined]) {
    for (const text of [...Object.values(said), "{}", '{"errors":[]}', '{"result":{},"errors":[{"message":"x"}]}']) {
      const both = kind === "f" && text.startsWith('{"result":{},');
      if (said[kind as keyof typeof said] === text || both) expect(() => readVerdict(kind, text)).not.toThrow();
      else expect(() => readVerdict(kind, text), `${kind}:${text}`).toThrow();
    }
  }
});

test("a synchronous request has a name, a dispatch and a few arguments", () => {
  const request = (changes: object) =>
    JSON.stringify({ op: "session.read", dispatch: 1, args: ["entries"], ...changes });
  for (const changes of [{}, { op: "x".repeat(64) }, { args: [] }, { args: Array(8).fill(1) }])
    expect(() => readSync(request(changes))).not.toThrow();
  for (const changes of [
    { op: "x".repeat(65) },
    { dispatch: -1 },
    { args: undefined },
    { args: Array(9).fill(1) },
    { more: 1 },
  ])
    expect(() => readSync(request(changes))).toThrow();
});

test("a call's head has two whole numbers and nothing else", () => {
  expect(isCallHead({ call: 1, dispatch: 0 })).toBe(true);
  for (const head of [
    undefined,
    null,
    1,
    [],
    {},
    { call: 1 },
    { call: "1", dispatch: 0 },
    { call: 1, dispatch: 0, more: 1 },
    { call: 1.5, dispatch: 0 },
  ]) {
    expect(isCallHead(head)).toBe(false);
  }
});
