import { expect, test } from "vitest";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";

/** Half a frame (sandbox/wire/messages.ts): the largest input that Cordon shows to a hook. */
const LIMIT = 4 * 1024 * 1024;
const of = (bytes: number) => ({ command: "x".repeat(bytes - JSON.stringify({ command: "" }).length) });
const gate = {
  source: onToolCall("return { block: true, reason: `saw ${JSON.stringify(event.input).length}` };"),
  grant: { limits: { cpuMs: 10_000 } },
};

test("an input at the limit is judged whole", async () => {
  const { call } = await startSession({ gate });
  expect(await call(of(LIMIT))).toEqual({ block: true, hook: "gate", reason: `saw ${LIMIT}` });
});

test("an input one byte over the limit is blocked, and the hook judges the next one", async () => {
  const { call } = await startSession({ gate });
  expect(await call(of(LIMIT + 1))).toEqual({ block: true, hook: "", reason: expect.stringMatching(/over the limit/) });
  expect(await call("ls")).toMatchObject({ block: true, hook: "gate" });
});

test("an input of 500 MB is blocked", needsTime(), async () => {
  const { call } = await startSession({ gate });
  const part = "x".repeat(100_000_000);
  expect(await call({ a: part, b: part, c: part, d: part, e: part })).toEqual({
    block: true,
    hook: "",
    reason: expect.stringMatching(/./),
  });
});

test.each([
  [20_000, { hook: "gate", reason: "judged" }],
  [20_001, { hook: "setter", reason: expect.stringContaining("an object with more than 20000 names") }],
])("a hook may set an object of %i names, or not", async (names, verdict) => {
  const { call } = await startSession({
    setter: {
      source: onToolCall(
        `delete event.input.rows; event.input.many = Object.fromEntries(Array.from({ length: ${names} }, (_, at) => ["k" + at, 0]));`,
      ),
      grant: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
    },
    gate: onToolCall('return { block: true, reason: "judged" };'),
  });
  // What a hook was given decides how many members it may set.
  const given = { command: "ls", rows: Array.from({ length: 20_000 }, () => 0) };
  expect(await call(given)).toMatchObject({ block: true, ...verdict });
});

test("an event too large for a frame is reported to an observer's agent, which continues", async () => {
  const { host, errors, call } = await startSession({
    gate,
    observer: `export default (pi: any) => pi.on("message", () => {});`,
  });
  await host.emit({ type: "message", text: "x".repeat(9_000_000), metadata: {} });
  expect(errors).toMatchObject([{ event: "message", code: "BAD_RESULT" }]);
  expect(await call("ls")).toMatchObject({ block: true, hook: "gate" });
});
