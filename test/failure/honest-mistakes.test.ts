import { expect, test } from "vitest";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** Wrong use of Cordon's own functions is an error to that hook, never an invalid frame, which ends its process. */
const mistakes = [
  { name: "a notice of 2 million characters", body: 'ctx.ui.notify("x".repeat(2_000_000));' },
  { name: "a notice of 9 million characters", body: 'ctx.ui.notify("x".repeat(9_000_000));' },
  { name: "a notice that is not a string", body: "ctx.ui.notify({});" },
  { name: "a question with 201 options", body: 'await ctx.ui.select("Which?", Array(201).fill("x"));' },
  { name: "a question without options", body: 'await ctx.ui.select("Which?");' },
  { name: "a question of 2 million characters", body: 'await ctx.ui.confirm("x".repeat(2_000_000), "");' },
  { name: "a question whose title is not a string", body: "await ctx.ui.input(5);" },
  { name: "attachments that are not an array", body: 'pi.send("hello", "attachment");' },
  { name: "21 attachments", body: 'pi.send("hello", Array(21).fill({}));' },
  {
    name: "an attachment that refers to itself",
    body: 'const self: any = {}; self.self = self; pi.send("hello", [self]);',
  },
  {
    name: "an attachment nested 70 deep",
    body: 'let deep: any = 1; for (let at = 0; at < 70; at++) deep = [deep]; pi.send("hello", [deep]);',
  },
  { name: "a program that is not a string", body: "await ctx.exec(5);" },
  { name: "a program with arguments that are not strings", body: 'await ctx.exec("git", [1]);' },
  { name: "a program with 100,000 arguments", body: 'await ctx.exec("git", Array(100_000).fill("x"));' },
  {
    name: "a console line in a function with a name of 5,000 characters",
    body: 'const name = "n".repeat(5000); ({ [name]() { console.log("here"); } })[name]!();',
  },
  { name: "a console line of 10 million characters", body: 'console.log("x".repeat(10_000_000));' },
  {
    name: "an error thrown in a function with a name of 50,000 characters",
    body: 'const name = "n".repeat(50_000); ({ [name]() { throw new Error("x"); } })[name]!();',
  },
  {
    name: "a handler registered 200 times while an event is handled",
    body: 'for (let at = 0; at < 200; at++) pi.on("turn_end", () => {});',
  },
  { name: "a handler for an event with a name of 100 characters", body: 'pi.on("x".repeat(100), () => {});' },
];

for (const { name, body } of mistakes) {
  test(`${name}: the hook gets an error, and its process keeps running`, async () => {
    const gate = `export default function (pi: any) {
      pi.on("tool_call", async (event: any, ctx: any) => {
        if (event.input.command === "err") { ${body} }
        return { block: true, reason: "judged" };
      });
    }`;
    const session = await startSession(
      { gate: { source: gate, grant: { limits: { cpuMs: 5000 } } } },
      { ui: scriptedUi() },
    );
    await session.call("err");
    expect(session.errors.filter(({ event, code }) => event === "crash" || code === "PROTOCOL_VIOLATION")).toEqual([]);
    expect(await session.call("ls")).toEqual({ block: true, hook: "gate", reason: "judged" });
    expect(session.errors.filter(({ event, code }) => event === "crash" || code === "PROTOCOL_VIOLATION")).toEqual([]);
  });
}

test("a hook that asks for the key of a model without a provider gets an error", async () => {
  const session = await startSession({
    asks: {
      source: `export default (pi: any) => pi.on("session", async (event: any) => {
        for (const model of [undefined, null, {}, { provider: 5 }, "x"]) await event.resolveApiKey(model).catch((error: Error) => console.log("refused"));
      });`,
      grant: { capabilities: { events: { see: ["*"], block: true }, model: ["anthropic"] } },
    },
    gate: onToolCall('return { block: true, reason: "judged" };'),
  });
  await session.host.emit({
    type: "session",
    reason: "before_compact",
    entries: [],
    sessionFile: null,
    previousSessionFile: null,
    cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false },
    messagesToSummarize: [],
    messagesToKeep: [],
    tokensBefore: 1,
    model: {},
    resolveApiKey: async () => undefined,
    signal: new AbortController().signal,
  });
  expect(session.log.map(({ text }) => text)).toEqual(Array(5).fill("refused"));
  expect(session.errors.filter(({ event }) => event === "crash")).toEqual([]);
});
