import { expect, test } from "vitest";
import { toolSchema } from "../../src/agents/pi/tool-schema.ts";

const text = { type: "string", minLength: 1, description: "words" };

test("the texts that a model reads about a tool are kept", () => {
  const schema = {
    type: "object",
    properties: {
      pattern: text,
      $ref: { type: "number", minimum: 0, enum: [1, 2] },
      list: { type: "array", items: { anyOf: [text, { const: "x" }] }, maxItems: 3 },
    },
    required: ["pattern"],
    additionalProperties: false,
  };
  expect(toolSchema(schema)).toEqual(schema);
});

test.each([
  ["an expression", { type: "string", pattern: "^(a+)+$" }, { type: "string" }],
  ["names by an expression", { type: "object", patternProperties: { "(a+)+": {} } }, { type: "object" }],
  ["a schema of itself", { type: "object", $ref: "#", $defs: { a: { $ref: "#" } } }, { type: "object" }],
  ["a format", { type: "string", format: "regex" }, { type: "string" }],
  ["any other word", { type: "string", if: {}, not: {}, unevaluatedItems: {} }, { type: "string" }],
])("%s is not checked in the agent's process, wherever it stands", (_what, schema, left) => {
  expect(toolSchema(schema)).toEqual(left);
  expect(toolSchema({ properties: { one: schema } })).toEqual({ properties: { one: left } });
  expect(toolSchema({ items: schema, anyOf: [schema] })).toEqual({ items: left, anyOf: [left] });
  expect(toolSchema({ additionalProperties: schema })).toEqual({ additionalProperties: left });
});

test("a property with the name of an object's own is a property", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string","pattern":"x"}}}');
  expect(JSON.stringify(toolSchema(schema))).toBe('{"properties":{"__proto__":{"type":"string"}}}');
});
