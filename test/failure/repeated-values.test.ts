import { expect, test } from "vitest";
import { longestPause } from "../support/longest-pause.ts";
import { on, startSession } from "../support/session.ts";

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
