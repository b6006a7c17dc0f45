import fc from "fast-check";
import TypeBox from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { compile } from "../../src/base/schema.ts";
import Type from "../../src/base/type.ts";

type Builder = typeof Type;

/** A schema of each kind, and those that the others are part of. */
const MADE: Record<string, (type: Builder) => object> = {
  text: (type) => type.String(),
  "text with a pattern": (type) => type.String({ pattern: "^a+$", maxLength: 3, description: "some" }),
  number: (type) => type.Number({ minimum: 1 }),
  integer: (type) => type.Integer({ minimum: -1, maximum: 3 }),
  flag: (type) => type.Boolean(),
  null: (type) => type.Null(),
  undefined: (type) => type.Undefined(),
  anything: (type) => type.Unknown({ title: "some" }),
  "a word": (type) => type.Literal("a"),
  "a figure": (type) => type.Literal(1, { description: "one" }),
  truth: (type) => type.Literal(true),
  choice: (type) => type.Enum(["a", "b"], { description: "some" }),
  list: (type) => type.Array(type.String(), { maxItems: 2, uniqueItems: true }),
  tuple: (type) => type.Tuple([type.String(), type.Number()]),
  "empty tuple": (type) => type.Tuple([]),
  union: (type) => type.Union([type.String(), type.Literal(2), type.Null()], { title: "some" }),
  record: (type) => type.Record(type.String(), type.Number()),
  "record with a pattern": (type) =>
    type.Record(type.String({ pattern: "^a" }), type.Unknown(), { maxProperties: 2, additionalProperties: false }),
  object: (type) => type.Object({ a: type.String(), b: type.Optional(type.Number({ title: "b" })) }),
  "closed object": (type) => type.Object({ a: type.Optional(type.Null()) }, { additionalProperties: false }),
  "empty object": (type) => type.Object({}),
  partial: (type) => type.Partial(type.Object({ a: type.String(), b: type.Optional(type.Null()) }), { title: "some" }),
  nested: (type) => {
    const part = type.Object({ a: type.Array(type.Optional(type.Integer())) });
    return type.Object({ b: type.Optional(part), c: part, d: type.Union([part, type.Tuple([part])]) });
  },
};

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("a", "aa", "b", "", 1, 2, -1, 1.5, true, false, null, undefined),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "d", "a\n"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** TypeBox leaves the article out, and counts to one; people read these. */
const plain = <Fault extends { message: string }>(fault: Fault): Fault => ({
  ...fault,
  message: fault.message
    .replace(/^must be an? /, "must be ")
    .replace(/^must not have fewer than 1 .*$/, "must not be empty"),
});

test.each(Object.entries(MADE))("%s is made as TypeBox makes it, and checked like its own", (_name, make) => {
  const [ours, theirs] = [make(Type), make(TypeBox)];
  expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
  const [check, same] = [compile(ours), Compile(theirs)];
  fc.assert(
    fc.property(values, (value) => {
      expect(check.Check(value)).toBe(same.Check(value));
      expect(check.Errors(value).map(plain)).toEqual(same.Errors(value).map(plain));
    }),
    { numRuns: 60 },
  );
});

test.each([
  [Type.Array(Type.String()), "must be an array"],
  [Type.Object({}), "must be an object"],
  [Type.Integer(), "must be an integer"],
  [Type.String(), "must be a string"],
  [Type.Number(), "must be a number"],
  [Type.Boolean(), "must be a boolean"],
  [Type.Null(), "must be null"],
])("a fault is in English: $1", (schema, message) => {
  expect(
    compile(schema as never)
      .Errors(undefined)
      .map((fault) => fault.message),
  ).toEqual([message]);
});
