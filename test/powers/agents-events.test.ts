import { expect, test } from "vitest";
import { AgentEvents } from "../../src/powers/agent-events.ts";
import { agentsOf, lender, runs } from "./agents-lender.ts";

const AT_MOST = 8_000_000;
const never = new AbortController().signal;
const text = (length: number): object => ({ type: "tool_execution_end", toolCallId: "1", result: "x".repeat(length) });

test("of what streams, the last is kept; of what happened, all", async () => {
  const events = new AgentEvents();
  const update = (part: string): object => ({
    type: "message_update",
    message: part,
    assistantMessageEvent: { partial: part, delta: part },
  });
  for (const event of [update("a"), update("ab"), { type: "turn_end", message: 1, toolResults: [1] }, update("c")])
    events.push(event);
  expect(await events.take(never)).toEqual({
    events: [
      { type: "message_update", message: "ab", assistantMessageEvent: { delta: "ab" } },
      { type: "turn_end" },
      { type: "message_update", message: "c", assistantMessageEvent: { delta: "c" } },
    ],
    count: 3,
  });
});

test("a long text in an event is cut, an event that is too long is named only", async () => {
  const events = new AgentEvents();
  events.push(text(200_000));
  events.push(text(200_001));
  events.push({ type: "message_end", message: Array.from({ length: 8 }, () => "x".repeat(200_000)) });
  const { events: came } = await events.take(never);
  expect(came.map((event) => [event.type, String(event.result ?? "").length, event.leftOut])).toEqual([
    ["tool_execution_end", 200_000, undefined],
    ["tool_execution_end", 200_000 + "[1 character left out]".length, undefined],
    ["message_end", 0, expect.any(Number)],
  ]);
});

test("events that nobody reads have a limit, and end the agent", async () => {
  const events = new AgentEvents();
  const most = Math.floor(AT_MOST / JSON.stringify(text(199_000)).length);
  for (let count = 0; count < most; count++) expect(events.push(text(199_000))).toBe(true);
  expect(events.push(text(199_000))).toBe(false);

  const { services, made } = lender(({ watch }) => {
    for (let count = 0; count <= most; count++) watch.onEvent(text(199_000));
  });
  const source = runs(`const { session } = await make(); await session.prompt("x");`, `{ tools: [] }`);
  const { go } = await agentsOf(source, { agents: [{ tools: [] }], services });
  expect(await go()).toEqual([expect.any(String), "its hook does not read its events"]);
  expect(made[0]?.isOver).toBe(true);
});

test("a large answer comes in parts, in order", async () => {
  const events = new AgentEvents();
  for (let at = 0; at < 30; at++) events.push({ ...text(199_000), at });
  const seen: unknown[] = [];
  for (let count = 0; count < 30; ) {
    const came = await events.take(never);
    expect(JSON.stringify(came).length).toBeLessThan(2_400_000);
    seen.push(...came.events.map(({ at }) => at));
    count = came.count;
  }
  expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => at));
});
