import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { startFacts } from "./facts.ts";
import { GLOBAL_FACTS } from "./global-facts.ts";

/** All facts of one isolate, asked one after the other. */
let told: Promise<Map<string, unknown>> | undefined;

async function askAll(): Promise<Map<string, unknown>> {
  const { ask } = await startFacts(Object.fromEntries(GLOBAL_FACTS.map(({ name, body }) => [name, body])));
  const answers = new Map<string, unknown>();
  for (const { name } of GLOBAL_FACTS) answers.set(name, await ask(name));
  return answers;
}

test.each(GLOBAL_FACTS)("in an isolate, $name", async ({ name, expected }) => {
  told ??= askAll();
  expect((await told).get(name)).toEqual(expected);
});

test("two isolates of one process draw different random values", async () => {
  const draws = onToolCall("console.log(crypto.randomUUID());");
  const { call, log } = await startSession({ a: draws, b: draws });
  await call();
  expect(log.map(({ hook }) => hook)).toEqual(["a", "b"]);
  expect(log[0]?.text).toMatch(/^[0-9a-f-]{36}$/);
  expect(log[0]?.text).not.toBe(log[1]?.text);
});
