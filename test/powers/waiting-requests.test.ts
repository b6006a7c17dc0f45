/** Requests of a hook that wait are kept whole by the agent's own process. */
import { expect, test } from "vitest";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

const events = { see: ["tool_call"], block: true };
const text = (length: number) => `"x".repeat(${length})`;

/** Makes requests one after the other while none is answered, and tells the codes of those that were refused. */
async function refused(count: number, operation: string, args: string, capabilities: object, then = "") {
  const source = onToolCall(
    `const host = (globalThis as any)[Symbol.for("cordon.host")];
     const codes: string[] = [];
     for (let at = 0; at < ${count}; at++) {
       host.call("${operation}", ${args}, undefined).catch(({ code }: any) => codes.push(code));
       await new Promise((later) => setTimeout(later, 10));
     }
     await new Promise((later) => setTimeout(later, 500));
     ${then}
     return { block: true, reason: "codes: " + codes.join(" ") };`,
  );
  const session = await startSession(
    { asker: { source, grant: { capabilities: { events, ...capabilities }, limits: { cpuMs: 60_000 } } } },
    // Nobody answers.
    { consent: () => new Promise<"deny">(() => {}), ui: scriptedUi(), hasUI: true, hookTimeout: 60_000 },
  );
  const verdict = await session.call();
  return verdict && "reason" in verdict ? verdict.reason : undefined;
}

const LONG = 990_000;

test.each([
  ["a program", "exec", `["cat", [], { input: ["utf8", ${text(LONG)}] }]`],
  ["a model", "model.complete", `[{ provider: "p" }, { text: ${text(LONG)} }, {}]`],
  ["a message", "send", `["short", [${text(LONG)}]]`],
])("of requests for %s that nobody has allowed yet, some wait", async (_name, operation, args) => {
  expect(await refused(34, operation, args, {})).toBe("codes: RATE_LIMITED RATE_LIMITED");
});

const slow = { exec: [{ program: "sleep", args: ["20"], stdin: true, fullAccess: true }] };
const given = (length: number) => `["sleep", ["20"], { input: ["utf8", ${text(length)}] }]`;

test.each([
  ["at the limit", 4, "codes: "],
  ["over it", 5, "codes: RATE_LIMITED"],
])("what programs are given that do not read it, %s", async (_name, count, codes) => {
  expect(await refused(count, "exec", given(6_999_000), slow)).toBe(codes);
});

test("what programs are given keeps no dialog from being shown", async () => {
  const then = 'codes.push(String(await ctx.ui.confirm("title", "text")));';
  expect(await refused(4, "exec", given(6_999_000), { ...slow, ui: ["confirm"] }, then)).toBe("codes: false");
});
