import { expect, test } from "vitest";
import { readPriority } from "../../src/supervisor/guest-frames.ts";

test.each([
  ["{}", {}],
  ['{"priority":-1.5}', { priority: -1.5 }],
  ['{"error":{"message":"x"}}', { error: { message: "x" } }],
])("the priority answer %s is accepted", (text, answer) => {
  expect({ ...readPriority(text) }).toEqual(answer);
});

test.each([
  "",
  "null",
  "[]",
  "1",
  '{"priority":"1"}',
  '{"priority":null}',
  '{"priority":1e999}',
  '{"priority":{}}',
  '{"error":"x"}',
  '{"error":{}}',
  '{"priority":1,"block":true}',
  '{"__proto__":{"priority":1}}',
])("the priority answer %j is refused", (text) => {
  expect(() => readPriority(text)).toThrow();
});
