import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "../../sandbox/wire/read-json.ts";

/** Each UTF-16 unit as it may stand in a JSON string. */
const units = (text: string, escapeAll: boolean): string[] =>
  [...Array(text.length).keys()].map((at) => {
    const unit = text[at] as string;
    if (escapeAll) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return JSON.stringify(unit).slice(1, -1);
  });

interface Written {
  value: unknown;
  text: string;
  /** The keys of all objects, as they are written, with the names of those before each. */
  keys: { before: string[]; source: string; length: number }[];
}

const name = fc
  .tuple(
    fc.string({ unit: fc.constantFrom("a", "b", "\\", '"', "\n", "\u2028", ":", " ", "0"), maxLength: 4 }),
    fc.boolean(),
  )
  .map(([text, escapeAll]) => ({ text, source: units(text, escapeAll).join("") }));

const anyValue = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(0, -1.5, 1e21, true, false, null).map((value) => ({ value, text: ` ${value}`, keys: [] })),
    name.map(({ text, source }) => ({ value: text, text: `"${source}"`, keys: [] })),
    fc.array(tie("value"), { maxLength: 3 }).map((all) => ({
      value: all.map(({ value }) => value),
      text: `[${all.map(({ text }) => text).join(" ,")}]`,
      keys: all.flatMap(({ keys }) => keys),
    })),
    fc.uniqueArray(fc.tuple(name, tie("value")), { maxLength: 4, selector: ([{ text }]) => text }).map((all) => ({
      value: Object.fromEntries(all.map(([{ text }, { value }]) => [text, value])),
      text: `{${all.map(([{ source }, { text }]) => `"${source}" :${text}`).join(",\n")}}`,
      keys: [
        ...all.map(([{ source, text }], at) => ({
          before: all.slice(0, at).map(([{ text }]) => text),
          source,
          length: text.length,
        })),
        ...all.flatMap(([, { keys }]) => keys),
      ],
    })),
  ),
})).value;

test("whatever was parsed before, a text says what stands in it", () => {
  fc.assert(
    fc.property(anyValue, ({ value, text, keys }) => {
      // What V8 would take for each key, were it the only one that it knows there.
      for (const { before, source, length } of keys)
        JSON.parse(JSON.stringify(Object.fromEntries([...before, source.slice(0, length)].map((key) => [key, ""]))));
      const read: unknown = readJson(text);
      expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['{"x":{"x":1,"comman\\\\":2},"comman\\u0064":"rm"}', { x: { x: 1, "comman\\": 2 }, command: "rm" }],
  ['{"a":1,"\\u0061":2,"b":3}', { a: 2, b: 3 }],
  ['{"\\u005f_proto__":{"a":1}}', JSON.parse('{"__proto__":{"a":1}}')],
  ['{"\\u0031":1,"\\n" \t\r\n: []}', { 1: 1, "\n": [] }],
  ['{"a":{},"\\"":":","b":["\\":",true,null,-1.5e3,{}]}', { a: {}, '"': ":", b: ['":', true, null, -1500, {}] }],
  [' "\\n" ', "\n"],
])("%s", (text, value) => {
  expect(readJson(text)).toEqual(value);
  expect(Object.keys(Object(readJson(text)))).toEqual(Object.keys(Object(value)));
});

test("what is no JSON is refused as by JSON.parse", () => {
  for (const text of ['{"\\n":', '{"\\n":1}}', "{'\\n':1}", '{"\\x":1}', '{"\\n":01}', '{"\\n":1,}', ""])
    expect(() => readJson(text)).toThrow(SyntaxError);
});

test("a text of any form takes time by its length alone", () => {
  const many = 2_000_000;
  for (const part of ['\\"', "\\\\", "\\n", ":", '\\":', '" :"'.replaceAll('"', '\\"'), " "]) {
    const inside = part.repeat(many);
    expect(readJson(`{"\\n":"${inside}"}`)["\n"]).toBe(JSON.parse(`"${inside}"`));
    expect(Object.keys(readJson(`{"a${inside}\\n":0}`))).toEqual([JSON.parse(`"a${inside}\\n"`)]);
  }
}, 20_000);
