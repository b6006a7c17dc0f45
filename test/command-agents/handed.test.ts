import { expect, test } from "vitest";
import { Handed } from "../../src/daemon/handed.ts";

const call = { tool: "exec", input: { command: "ls", deep: { a: [1] } } };
const asked = (hook: string) => new Map([[hook, ["Sure?"]]]);

test("what was allowed comes back once, for an equal call", () => {
  const handed = new Handed();
  const id = handed.put(call, asked("a"));
  expect(handed.take(id, structuredClone(call))).toEqual(asked("a"));
  expect(handed.take(id, call).size).toBe(0);
});

test.each([
  { ...call, tool: "read" },
  { ...call, input: { command: "ls", deep: { a: [2] } } },
  { ...call, input: { ...call.input, more: 1 } },
])("what was allowed is nothing for another call, and gone then: %o", (other) => {
  const handed = new Handed();
  const id = handed.put(call, asked("a"));
  expect(handed.take(id, other).size).toBe(0);
  expect(handed.take(id, call).size).toBe(0);
});

test("32 questions wait at once, and one more takes the place of the oldest", () => {
  const handed = new Handed();
  const ids = Array.from({ length: 32 }, (_, at) => handed.put(call, asked(`hook ${at}`)));
  expect(handed.take(ids[0] as string, call).size).toBe(1);
  handed.put(call, asked("a"));
  expect(handed.take(ids[1] as string, call).size).toBe(1);
  handed.put(call, asked("b"));
  handed.put(call, asked("c"));
  expect(handed.take(ids[2] as string, call).size).toBe(0);
  expect(handed.take(ids[3] as string, call).size).toBe(1);
});

test("a hook asks 30 times in a session, whatever others ask", () => {
  const handed = new Handed();
  for (let at = 0; at < 29; at++) handed.put(call, asked("a"));
  expect(handed.mayAsk("a")).toBe(true);
  handed.put(call, asked("a"));
  expect([handed.mayAsk("a"), handed.mayAsk("b")]).toEqual([false, true]);
});
