import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { on, startSession } from "../support/session.ts";

const READS = 40;

/** Reads what a hook was shown again and again, as `event` itself does the first time. */
const READER = on(
  "session",
  `const { get } = Object.getOwnPropertyDescriptor(event, "entries");
   let said = "";
   for (let at = 0; at < ${READS}; at++) try { said = String(get.call(event).length); } catch (error) { said = error.message; }
   console.log(said);`,
);

const eventOf = (count: number) => {
  const entries = Array.from({ length: count }, (_, at) => ({ at, text: "some words of a session ".repeat(10) }));
  return { type: "session", reason: "start", entries, sessionFile: null, previousSessionFile: null } as never;
};

test("a session that fits no frame costs its agent little, however often a hook reads it", async () => {
  const { host, log } = await startSession({
    reader: { source: READER, grant: { capabilities: { events: { see: ["*"] }, session: ["entries"] } } },
  });
  const event = eventOf(80_000);
  const started = performance.now();
  const { length } = JSON.stringify((event as { entries: unknown }).entries);
  const once = performance.now() - started;
  expect(length).toBeGreaterThan(2 * 8 * 1024 * 1024);
  const before = performance.eventLoopUtilization();
  await host.emit(event);
  // It was as many times as it was read: a loop of these held the agent for half an hour.
  expect(performance.eventLoopUtilization(before).active).toBeLessThan((once * READS) / 4);
  expect(log.map(({ text }) => text)).toEqual([expect.stringContaining("bytes")]);
});

test("what was read is read again", async () => {
  const { host, log } = await startSession({
    reader: { source: READER, grant: { capabilities: { events: { see: ["*"] }, session: ["entries"] } } },
  });
  await host.emit(eventOf(10));
  await host.emit(eventOf(20));
  expect(log.map(({ text }) => text)).toEqual(["10", "20"]);
});
