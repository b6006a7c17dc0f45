import { describe, expect, test } from "vitest";
import { liars } from "../support/fake-sandbox.ts";
import { sampled } from "../support/length.ts";
import type { TestSession } from "../support/session.ts";
import { namesAll } from "./containment.ts";
import { invalid, misshapen } from "./forgeries.ts";
import { GroupWatch, sandboxes } from "./processes.ts";

const startLiar = liars();

function expectNoPollution(): void {
  for (const holder of [{}, [], "", 0, () => {}, Object.create({})] as Record<string, unknown>[]) {
    expect(holder.polluted).toBeUndefined();
  }
  expect(process.env.polluted).toBeUndefined();
}

const resultOf = ({ host }: TestSession) =>
  host.emit({
    type: "tool_result",
    toolName: "read",
    toolCallId: "1",
    input: {},
    content: [{ type: "text", text: "the content" }],
    isError: false,
  });

describe("in answer to a call", () => {
  for (const { name, frames } of sampled(invalid, 2)) {
    test(`${name} ends the process, and the call is blocked`, async () => {
      const groups = new GroupWatch();
      const session = await startLiar({ at: "run", frames });
      expect(session.host.hooks[0]?.state).toBe("active");
      const before = sandboxes();
      expect(await session.call()).toEqual({
        block: true,
        hook: "liar",
        reason: expect.stringMatching(namesAll("liar", ["PROTOCOL_VIOLATION"])),
      });
      // One of them may be an honest spare.
      expect(before.filter((pid) => !sandboxes().includes(pid)).length).toBeGreaterThan(0);
      expect(session.errors.filter(({ event }) => event === "crash")).toMatchObject([{ code: "PROTOCOL_VIOLATION" }]);
      expectNoPollution();
      await session.host.close();
      expect(await groups.left()).toEqual([]);
    });
  }
});

test.each([
  ["with an unknown dialect", { dialect: "vim" }],
  ["of a dialect that is not a string", { dialect: ["pi"] }],
  ["with a `hasMatchers` that is not a boolean", { hasMatchers: "yes" }],
])("a bundle that reports itself loaded %s is failed and blocks", async (_name, said) => {
  const text = JSON.stringify({ t: "loaded", events: {}, ...said });
  const session = await startLiar({ at: "load", frames: [{ kind: "message", text }] });
  expect(session.host.hooks[0]?.state).toBe("failed");
  expect(await session.call()).toMatchObject({ block: true, hook: "liar" });
});

test("a tool with a name of 128 characters may be chosen", async () => {
  const tool = "x".repeat(128);
  const session = await startLiar({ at: "run", frames: [{ kind: "verdict", text: `0r$RUN:{"tool":"${tool}"}` }] });
  // Its second answer ends the process, so the record shows the first one.
  await session.call();
  expect(session.audit).toContainEqual(expect.objectContaining({ value: `bash: ${tool}`, outcome: "rewrite" }));
});

test("a hook with an invalid frame while its bundle loads is failed and blocks", async () => {
  const session = await startLiar({ at: "load", frames: [{ kind: "verdict", text: "0p$RUN:" }] });
  expect(session.host.hooks[0]?.state).toBe("failed");
  expect(await session.call()).toEqual({
    block: true,
    hook: "liar",
    reason: expect.stringMatching(namesAll("liar", ["PROTOCOL_VIOLATION"])),
  });
});

test("a second answer ends the process", async () => {
  const session = await startLiar({
    at: "run",
    frames: [{ kind: "verdict", text: '0r$RUN:{"result":{"block":true,"reason":"no"}}' }],
  });
  expect(await session.call()).toEqual({ block: true, hook: "liar", reason: "no" });
  await expect.poll(() => session.errors.map(({ code }) => code)).toEqual(["PROTOCOL_VIOLATION"]);
});

test.each(["passed", "verdict"] as const)("an answer after passes ends the process: %s", async (kind) => {
  const again = { kind, text: kind === "passed" ? "$RUN" : '0r$RUN:{"result":{"block":true,"reason":"no"}}' };
  const session = await startLiar({ at: "run", frames: [{ kind: "passed", text: "$RUN" }, again] });
  expect(await session.call()).toBeUndefined();
  await expect.poll(() => session.errors.map(({ code }) => code)).toEqual(["PROTOCOL_VIOLATION"]);
});

test.each(["passed", "verdict"] as const)(
  "frames of a hook that is not there are few, or end the process: %s",
  async (kind) => {
    const text = kind === "passed" ? "$RUN" : "0p$RUN:";
    const few = await startLiar({ at: "run", frames: [{ kind, number: 999, text, times: 1000 }] });
    expect(await few.call()).toBeUndefined();
    expect(few.errors).toEqual([]);
    const many = await startLiar({ at: "run", frames: [{ kind, number: 999, text, times: 1001 }] });
    await many.call();
    await expect.poll(() => many.errors.map(({ code }) => code)).toContain("PROTOCOL_VIOLATION");
  },
);

test("questions of a hook that is not there are answered, each of them", async () => {
  const session = await startLiar({ at: "run", frames: [{ kind: "sync", number: 999, text: "{}", times: 3000 }] });
  expect(await session.call()).toBeUndefined();
  expect(session.errors).toEqual([]);
});

test("an invalid frame while a hook observes is reported, and the agent continues", async () => {
  const session = await startLiar({ at: "run", frames: [{ kind: "message", text: "{" }] });
  expect(await session.host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 })).toBeUndefined();
  expect(session.errors).toContainEqual(expect.objectContaining({ event: "turn_start", code: "PROTOCOL_VIOLATION" }));
});

test("an invalid frame while a hook guards a result withholds it", async () => {
  const session = await startLiar({ at: "run", frames: [{ kind: "message", text: "{" }] });
  expect(await resultOf(session)).toEqual({
    content: [{ type: "text", text: expect.stringMatching(/withheld.*PROTOCOL_VIOLATION/s) }],
    details: {},
    isError: true,
  });
});

test("the same process is believed when it does not lie", async () => {
  const session = await startLiar({ at: "run", frames: [] });
  expect(await session.call()).toBeUndefined();
  expect(await resultOf(session)).toBeUndefined();
  expect(session.errors).toEqual([]);
});

describe("a forged result", () => {
  const lie = (result: string) =>
    startLiar({ at: "run", frames: [{ kind: "verdict", text: `0r$RUN:{"result":${result}}` }] });

  test.each(misshapen)("%s is not accepted as a tool's result, and pollutes nothing", async (text) => {
    const result: Record<string, unknown> = { ...(await resultOf(await lie(text))) };
    for (const name of Object.keys(result)) expect(["content", "details", "isError"]).toContain(name);
    if (result.content !== undefined) expect(result.content).toEqual([{ type: "text", text: expect.any(String) }]);
    if (result.isError !== undefined) expect(result.isError).toBeTypeOf("boolean");
    expectNoPollution();
  });

  test.each(misshapen)("%s is not accepted as a session event's result, and pollutes nothing", async (text) => {
    const event = { type: "session", reason: "before_compact" } as unknown as Parameters<
      TestSession["host"]["emit"]
    >[0];
    const result: Record<string, unknown> = { ...(await (await lie(text)).host.emit(event)) };
    for (const name of Object.keys(result))
      expect(["cancel", "skipConversationRestore", "compactionEntry"]).toContain(name);
    if (result.cancel !== undefined) expect(result.cancel).toBeTypeOf("boolean");
    if (result.compactionEntry !== undefined) expect(result.compactionEntry).toBeTypeOf("object");
    expectNoPollution();
  });

  test.each(["5", '"text"', "[]", '{"block":"no","reason":{}}', '{"block":1}', '{"evil":1}'])(
    "%s as the result for a call blocks the call",
    async (text) => {
      expect(await (await lie(text)).call()).toMatchObject({ block: true, hook: "liar", reason: expect.any(String) });
    },
  );
});
