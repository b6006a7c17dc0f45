import { expect, test } from "vitest";
import type { ToolResultEvent } from "../../src/hook-api.ts";
import { onToolCall, startSession } from "../support/session.ts";

const HOOK = `
export default function (pi: any) {
  pi.on("tool_call", async (event: any) => (event.input.command === "rm" ? { block: true, reason: "no rm" } : undefined));
  pi.on("tool_result", async (event: any) => (event.content[0].text === "key" ? { content: [{ type: "text", text: "-" }] } : undefined));
  pi.on("session", async (event: any) => (event.reason === "before_clear" ? { cancel: true } : undefined));
}
`;
const grant = { capabilities: { events: { see: ["*"], block: true, cancel: true, rewriteResult: ["*"] } } };

test.each<[string, object, string, RegExp]>([
  [
    "only guards results",
    { guardResult: ["read"] },
    "withheld",
    /^Result withheld: .*not granted that; add "events": .* to the grant that its host gives it/,
  ],
  ["guards those of another tool", { guardResult: ["bash"] }, "pass", /^key$/],
  ["has no such right", {}, "pass", /^key$/],
  ["may change results", { guardResult: ["read"], rewriteResult: ["read"] }, "rewrite", /^-$/],
])("a hook that takes a key out of a result, and %s", async (_name, rights, outcome, text) => {
  const events = { see: ["*"], ...rights };
  const { host, audit, errors } = await startSession({ judge: { source: HOOK, grant: { capabilities: { events } } } });
  const content = [{ type: "text" as const, text: "key" }];
  const event = { type: "tool_result" as const, toolName: "read", toolCallId: "1", input: {}, content };
  const result = (await host.emit({ ...event, details: undefined, isError: false })) as { content: { text: string }[] };
  expect((result?.content ?? content)[0]?.text).toMatch(text);
  expect(audit.at(-1)).toMatchObject({ event: "tool_result", outcome });
  expect(errors.map(({ code }) => code)).toEqual(outcome === "rewrite" ? [] : ["NOT_GRANTED"]);
});

test("a block of Cordon's own is a line of the log, too", async () => {
  const { call, audit, host } = await startSession({ judge: { source: onToolCall(""), grant } });
  expect(await call({ command: 1n })).toMatchObject({ block: true, hook: "" });
  expect(audit.at(-1)).toMatchObject({ hook: "", event: "tool_call", outcome: "block" });
  expect(audit.at(-1)?.value).toMatch(/^bash: the tool's input.*is a bigint/);
  expect(host.lastBlock).toMatchObject({ hook: "", tool: "bash" });
});

test("every verdict is a line of the log, even a pass", async () => {
  const { host, call, audit } = await startSession({ judge: { source: HOOK, grant } });
  const result = (text: string): ToolResultEvent => ({
    type: "tool_result",
    toolName: "read",
    toolCallId: "1",
    input: {},
    content: [{ type: "text", text }],
    details: undefined,
    isError: false,
  });
  const session = { type: "session" as const, entries: [], sessionFile: null, previousSessionFile: null };
  const before = audit.length;
  await call("ls");
  await call("rm");
  await host.emit(result("key"));
  await host.emit(result("plain"));
  await host.emit({ ...session, reason: "before_clear" });
  await host.emit({ ...session, reason: "start" });
  expect(audit.slice(before).map(({ event, outcome, hook }) => [event, outcome, hook])).toEqual([
    ["tool_call", "pass", "judge"],
    ["tool_call", "block", "judge"],
    ["tool_result", "rewrite", "judge"],
    ["tool_result", "pass", "judge"],
    ["session", "cancel", "judge"],
    ["session", "pass", "judge"],
  ]);
});

test("each line about a blocked call begins with its tool, also where the hook is down", async () => {
  const { call, audit } = await startSession({
    gate: { source: onToolCall('return { block: true, reason: "no" };'), grant },
    down: "export default (",
  });
  for (const tool of ["bash", "read"]) await call({}, tool);
  const values = audit.flatMap(({ event, outcome, value }) =>
    event === "tool_call" && outcome === "block" ? [value] : [],
  );
  expect(values).toHaveLength(2);
  for (const [at, tool] of ["bash", "read"].entries())
    expect(values[at]).toMatch(new RegExp(`^${tool}: hook down cannot judge this call: `));
});
