import fc from "fast-check";
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { ToHost, ToSandbox } from "../../sandbox/wire/messages.ts";
import { Inbox } from "../../src/supervisor/inbox.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** Counts the frames that the host sends and receives, and forwards them unchanged. */
let sent: MockInstance<SandboxProcess["send"]>;
let received: MockInstance<Inbox["frame"]>;
beforeEach(() => {
  sent = vi.spyOn(SandboxProcess.prototype, "send");
  received = vi.spyOn(Inbox.prototype, "frame");
});
afterEach(() => {
  sent.mockRestore();
  received.mockRestore();
});

/** The kinds of the answers to one call, and which hook each is of, counted from 1. */
async function answersOf(call: () => Promise<unknown>): Promise<string[]> {
  received.mockClear();
  await call();
  const numbers = runs().at(-1)?.split(",").map(Number) ?? [];
  const kinds = Object.entries(ToHost);
  return received.mock.calls.flatMap(([kind, number]) => {
    const name = kinds.find(([, one]) => one === kind)?.[0];
    return name === "message" || name === "pong" ? [] : [`${name} ${numbers.indexOf(number) + 1}`];
  });
}

/** The isolates of each event that was sent in one frame. */
const runs = (): string[] =>
  sent.mock.calls.flatMap(([kind, number, sent]) => {
    const text = String(sent);
    if (kind === ToSandbox.run) return text.split("\n")[0] as string;
    return kind === ToSandbox.text && text.startsWith("E") ? String(number) : [];
  });

const PASS = onToolCall("return undefined;");

test("a tool call that ten hooks of one process judge is one round trip", async () => {
  const { call } = await startSession(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`hook${at}`, PASS])));
  expect(await call()).toBeUndefined();
  expect(runs()).toHaveLength(1);
  expect(runs()[0]?.split(",")).toHaveLength(10);
});

test("passes of hooks that follow each other are one frame, told before anything else", async () => {
  const later = onToolCall("await new Promise((done) => setTimeout(done, 20));");
  const changes = onToolCall("event.input.command = 'other';");
  const cases: [string[], string[]][] = [
    [[PASS, PASS, PASS], ["passed 3"]],
    [
      [PASS, PASS, changes, PASS, PASS],
      ["passed 2", "verdict 3", "passed 5"],
    ],
    [
      [changes, PASS, changes],
      ["verdict 1", "passed 2", "verdict 3"],
    ],
    [
      [PASS, later, PASS],
      ["passed 1", "verdict 2", "passed 3"],
    ],
    [
      [PASS, onToolCall("throw new Error('no');"), PASS],
      ["passed 1", "verdict 2"],
    ],
  ];
  for (const [hooks, frames] of cases) {
    const { call } = await startSession(Object.fromEntries(hooks.map((hook, at) => [`hook${at}`, hook])));
    expect(await answersOf(call)).toEqual(frames);
  }
});

test("when one entry ends two calls, the passes of both are told", async () => {
  const waits = `let go;
    export default (pi) => pi.on("tool_call", async ({ input }) => {
      if (input.command === "first") await new Promise((done) => { go = done; });
      else {
        go();
        // The first call is answered before this one.
        for (let turn = 0; turn < 10; turn++) await undefined;
      }
    });`;
  const { call } = await startSession({ a: PASS, waits, b: PASS, c: PASS });
  const first = call("first");
  await expect.poll(() => received.mock.calls.some(([kind]) => kind === ToHost.passed)).toBe(true);
  expect(await Promise.all([first, call("second")])).toEqual([undefined, undefined]);
});

test("calls that overlap in any way each get the verdicts of all their hooks", async () => {
  // What each hook does in a call is in the call: how many turns or ms it takes, and whether it blocks.
  const hook = (at: number) => `export default (pi) => pi.on("tool_call", async ({ input }) => {
    const [turns, ms, blocks] = input.plan[${at}];
    for (let turn = 0; turn < turns; turn++) await undefined;
    if (ms > 0) await new Promise((done) => setTimeout(done, ms));
    if (blocks) return { block: true, reason: "${at}" };
  });`;
  const { call, errors } = await startSession(
    Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`hook${at}`, hook(at)])),
  );
  const step = fc.tuple(fc.nat(5), fc.constantFrom(0, 0, 0, 4, 8), fc.constantFrom(false, false, false, false, true));
  const plan = fc.array(step, { minLength: 5, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 6 }), async (plans) => {
      const outcomes = await Promise.all(plans.map((one) => call({ plan: one })));
      const expected = plans.map((one) => one.findIndex(([, , blocks]) => blocks));
      expect(outcomes.map((outcome) => (outcome && "reason" in outcome ? outcome.reason : "-1"))).toEqual(
        expected.map(String),
      );
    }),
    { numRuns: 40 },
  );
  expect(errors).toEqual([]);
});

test("it is one round trip even if one of them opens a dialog in the middle", async () => {
  const ui = scriptedUi({ confirm: true });
  const asks = onToolCall('if (!(await ctx.ui.confirm("Really?", "sure?"))) return { block: true, reason: "no" };');
  const { call } = await startSession(
    { first: PASS, asks, last: onToolCall('return { block: true, reason: "the last" };') },
    { ui },
  );
  expect(await call()).toMatchObject({ hook: "last", reason: "the last" });
  expect(ui.shown).toHaveLength(1);
  expect(runs()).toHaveLength(1);
});

test("a hook that blocks ends the run: later hooks do not judge", async () => {
  const blocks = onToolCall('return { block: true, reason: "no" };');
  const tells = onToolCall('console.log("was asked");');
  const { call, log } = await startSession({ blocks, tells });
  expect(await call()).toMatchObject({ hook: "blocks" });
  expect(await call()).toMatchObject({ hook: "blocks" });
  expect(log).toEqual([]);
  expect(runs()).toHaveLength(2);
});

test("each change of process costs a round trip, in order", async () => {
  const powerful = { source: PASS, grant: { capabilities: { send: {} } } };
  const { call } = await startSession({ a: PASS, b: powerful, c: PASS });
  await call();
  expect(runs()).toHaveLength(3);
});
