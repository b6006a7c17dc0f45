import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InexactJson, parseExact } from "../../src/base/exact-json.ts";
import { NotPlain, plainCopy } from "../../src/verdicts/plain-copy.ts";

describe("text that two parsers may read differently is refused", () => {
  test.each([
    ["a duplicate key", '{"command":"rm -rf /","command":"ls"}'],
    ["a duplicate key with the same value", '{"a":1,"a":1}'],
    ["a duplicate key in two spellings", '{"type":"tool_call","\\u0074ype":"turn_start"}'],
    ["a duplicate key in a nested object", '[{"a":[{"b":1,"c":{},"b":2}]}]'],
    ["a duplicate key before and after an array", '{"a":1,"x":["a",{"a":2}],"a":3}'],
    ["__proto__ twice", '{"__proto__":1,"__proto__":2}'],
    ["2^53", "9007199254740992"],
    ["2^53+1", "[9007199254740993]"],
    ["-2^53", '{"a":-9007199254740992}'],
    ["a large integer with an exponent", "1e16"],
    ["an overflow", "1e400"],
    ["a negative overflow", "-1e400"],
    ["an underflow", "1e-400"],
    ["18 significant digits", "0.123456789012345678"],
    ["a lone surrogate", '"\\ud800"'],
    ["a lone surrogate in a key", '{"\\udc00":1}'],
  ])("%s", (_name, text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(() => parseExact(text)).toThrow(InexactJson);
  });
});

describe("text that all parsers read alike is read as by JSON.parse", () => {
  test.each([
    '{"a":{"b":1},"b":{"a":1},"c":["a","a",{"a":1},{"a":1}]}',
    '{"a":"b","b":"a","":"","\\"":"{\\"a\\":1,\\"a\\":2}"}',
    "[9007199254740991,-9007199254740991,0,1.0,1e15,0.1,1e-300,5e-324,1.7976931348623157]",
    "0.12345678901234567",
    "0.00000000000000000000123456789012345670000",
    ' { "x" : [ ] , "y" : { } , "z" : null , "t" : true } ',
    '"\\ud83d\\ude00"',
  ])("%s", (text) => {
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });

  test("any value that JSON can hold", () => {
    const values = fc.jsonValue({ noUnicodeString: false }).filter((value) => {
      const numbers = JSON.stringify(value).match(/(?<![\w"\\.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g) ?? [];
      return numbers.every((number) => !Number.isInteger(Number(number)) || Number.isSafeInteger(Number(number)));
    });
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        fc.pre(text.isWellFormed());
        try {
          expect(JSON.stringify(parseExact(text))).toBe(text);
        } catch (error) {
          // Strings that look like numbers are strings: only a lone surrogate may be refused.
          expect(String(error)).toMatch(/half of a character|integer beyond/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("a duplicate key is found at any position", () => {
    const key = fc.string({ maxLength: 5 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(key, fc.array(key, { maxLength: 5 }), fc.nat({ max: 3 }), (twice, others, depth) => {
        const members = [twice, ...others.filter((other) => other !== twice), twice].map(
          (name) => `${JSON.stringify(name)}:0`,
        );
        const text = `${'{"deep":['.repeat(depth)}{${members.join(",")}}${"]}".repeat(depth)}`;
        expect(() => parseExact(text)).toThrow(InexactJson);
      }),
    );
  });
});

describe("at the maximum length of a message", () => {
  test.each([
    ["plain characters", "a".repeat(20_000_000)],
    ["escaped ones", "\\n".repeat(10_000_000)],
    ["escaped backslashes", "\\\\".repeat(10_000_000)],
    ["escaped quotes", '\\"'.repeat(10_000_000)],
  ])("a text of %s", (_name, inside) => {
    const text = `{"a":"${inside}"}`;
    expect(JSON.stringify(parseExact(text)) === text).toBe(true);
  });

  test.each([
    ["zeros before a digit", `0.${"0".repeat(10_000_000)}1`],
    ["zeros between digits", `1${"0".repeat(10_000_000)}1`],
    ["digits", "1".repeat(10_000_000)],
    ["digits after a point", `0.${"10".repeat(5_000_000)}`],
  ])("a number of %s", (_name, text) => {
    expect(() => parseExact(text)).toThrow(InexactJson);
  });

  test("a number of zeros only is 0", () => {
    expect(parseExact(`0.${"0".repeat(10_000_000)}`)).toBe(0);
  });
});

test("text that is not JSON is a SyntaxError", () => {
  for (const text of ["", "{", "{'a':1}", "[1,]", "01", "NaN", '"\n"'])
    expect(() => parseExact(text)).toThrow(SyntaxError);
});

test("an input with a lone surrogate is not judged: hooks would see a different one", () => {
  for (const input of [{ command: "\ud800" }, { "\udc00": 1 }, { a: ["x\udfff"] }]) {
    expect(() => plainCopy(input)).toThrow(NotPlain);
  }
  expect(plainCopy({ command: "\ud83d\ude00" })).toEqual({ command: "\ud83d\ude00" });
});
