import { expect, test } from "vitest";
import { on, startSession } from "../support/session.ts";

/** Longest time in ms that the agent's loop stood still while something was done. */
async function longestPause(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await act();
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearInterval(timer);
  return longest;
}

test("what hooks without a right make of a conversation is compared with it once, however many they are", async () => {
  const one = {
    source: on("context", "return { messages: [] };"),
    grant: { capabilities: { events: { see: ["context"] } } },
  };
  const names = [..."abcdefghijklmnop"];
  const { host, errors } = await startSession(Object.fromEntries(names.map((name) => [name, one])));
  const messages = Array.from({ length: 60_000 }, (_, at) => ({
    role: "user",
    content: [{ type: "text", text: "some words of a conversation ".repeat(10) }],
    timestamp: at,
  }));
  const event = { type: "context", messages } as unknown as Parameters<typeof host.emit>[0];
  const pause = await longestPause(() => host.emit(event));
  const started = performance.now();
  JSON.stringify(messages);
  // It was as many times as there are hooks.
  expect(pause).toBeLessThan(5 * (performance.now() - started));
  expect(errors).toHaveLength(names.length);
});
