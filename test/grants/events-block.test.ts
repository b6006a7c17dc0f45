import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const GATE = onToolCall(`
  if (event.input.command === "throw") throw new Error("thrown");
  if (event.input.command === "hang") for (;;);
  if (event.input.command.startsWith("rm")) return { block: true, reason: "no rm" };`);
const NO_RM = { block: true, reason: "no rm", hook: "gate" };

/** Whether a hook with this `events` power stops `rm`. */
const CASES: [name: string, events: object | undefined, verdict: object | undefined, hears: boolean][] = [
  ["all events, without `block`", { see: ["*"] }, NO_RM, true],
  ["tool calls, without `block`", { see: ["tool_call"] }, NO_RM, true],
  ["`block`", { see: ["*"], block: true }, NO_RM, true],
  ["no `block`", { see: ["*"], block: false }, undefined, true],
  ["tool calls, with `block: false`", { see: ["tool_call"], block: false }, undefined, true],
  ["other events", { see: ["session"] }, undefined, false],
  ["other events, and `block`", { see: ["session"], block: true }, undefined, false],
  ["no events", { see: [] }, undefined, false],
  ["only other powers", undefined, NO_RM, true],
];

test.each(CASES)("a gate that was granted %s", async (_name, events, verdict, hears) => {
  const exec = [{ program: "echo", args: ["a"] }];
  const { call, host, errors } = await startSession({
    gate: {
      source: GATE,
      grant: { capabilities: { ...(events ? { events: events as { see: string[] } } : {}), exec } },
    },
  });
  expect(host.hasHandlers("tool_call")).toBe(hears);
  expect(await call("rm -rf /")).toEqual(verdict);
  expect(await call("ls")).toBeUndefined();
  const dropped = errors.filter(({ code }) => code === "NOT_GRANTED").map(({ event, error }) => `${event}: ${error}`);
  expect(dropped).toEqual(
    hears && !verdict
      ? [
          expect.stringMatching(
            /^tool_call: hook gate was not granted events.block: its block was dropped; add "events": \{"see":\["[\w*]+"\],"block":true\} to the grant that its host gives it$/,
          ),
        ]
      : [],
  );
});

test("an observer that throws, hangs or is down stops no call, and each failure is reported", async () => {
  const { call, errors, host } = await startSession({
    gate: { source: GATE, grant: { capabilities: { events: { see: ["*"], block: false } } } },
  });
  expect(await call("throw")).toBeUndefined();
  expect(errors.map(({ event, code }) => [event, code])).toContainEqual(["tool_call", "HOOK_THREW"]);
  for (let times = 0; times < 5; times++) expect(await call("hang")).toBeUndefined();
  expect(host.hooks[0]?.state).toBe("stopped");
  expect(await call("rm")).toBeUndefined();
  expect(errors.filter(({ code }) => code === "CPU_EXCEEDED" || code === "TIMEOUT").length).toBeGreaterThan(0);
});

test("an observer hears a call as guards rewrote it, and cannot undo their changes", async () => {
  const observer = onToolCall('console.log("HEARD " + event.input.command); return { block: false };');
  const rewriter = onToolCall('event.input.command += "!";');
  const { call, log } = await startSession({
    observer: { source: observer, grant: { capabilities: { events: { see: ["*"], block: false } } } },
    rewriter: { source: rewriter, grant: { capabilities: { events: { see: ["*"], rewriteInput: ["*"] } } } },
    gate: GATE,
  });
  expect(await call("ls")).toEqual({ input: { command: "ls!" } });
  expect(log.map(({ text }) => text)).toContain("HEARD ls!");
  expect(await call("rm")).toMatchObject(NO_RM);
});
