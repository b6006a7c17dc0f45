import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const all = (priority: number, more: object = {}) => ({
  priority,
  capabilities: {
    events: { see: ["*"], block: true, rewriteInput: ["*"], rewriteResult: ["*"], guardResult: ["*"], ...more },
  },
});
const UNDONE = "another hook changed the call after this one, which would change it back";

const STRIPS = onToolCall(
  "event.input.command = event.input.command.replace(/^sudo /, '').replace(/ --no-verify/, '');",
);
const FIXES = onToolCall("event.input.cwd = '/safe';");
const ADDS_SUDO = onToolCall(
  "if (!event.input.command.startsWith('sudo')) event.input.command = 'sudo ' + event.input.command;",
);

// biome-ignore format: a table
test.each([
  ["what it took out is back", STRIPS, ADDS_SUDO, "git commit --no-verify"],
  ["what it found nothing of is there now", STRIPS, ADDS_SUDO, "git commit"],
  ["another member than it set", FIXES, onToolCall("event.input.cwd = '/etc';"), "ls"],
  ["a member that it took out", onToolCall("delete event.input.env;"), onToolCall("event.input.env = 1;"), "ls"],
])("a hook that changes calls blocks one that others changed so that it would change it again: %s", async (_what, first, second, command) => {
  const { call, host } = await startSession({
    first: { source: first, grant: all(10) },
    second: { source: second, grant: all(0) },
  });
  expect(await call(command)).toEqual({ block: true, reason: UNDONE, hook: "first" });
  expect(host.hooks.find(({ id }) => id === "first")?.state).toBe("active");
});

// biome-ignore format: a table
test.each([
  ["what others made is as it wants it", STRIPS, onToolCall("event.input.command += ' # seen';"), all(10), { command: "git commit # seen" }],
  ["it adds to whatever it sees", onToolCall("event.input.command += '!';"), onToolCall("event.input.command += '?';"), all(10), { command: "git commit --no-verify!?" }],
  ["it may not block", STRIPS, ADDS_SUDO, all(10, { block: false }), { command: "sudo git commit" }],
])("it does not where %s", async (_what, first, second, grant, input) => {
  const { call } = await startSession({
    first: { source: first, grant },
    second: { source: second, grant: all(0) },
  });
  expect(await call("git commit --no-verify")).toEqual({ input });
});

test("nor where it was not granted the change", async () => {
  const { call, errors } = await startSession({
    first: { source: STRIPS, grant: all(10, { rewriteInput: ["read"] }) },
    second: { source: ADDS_SUDO, grant: all(0) },
  });
  expect(await call("ls")).toEqual({ input: { command: "sudo ls" } });
  expect(errors).toMatchObject([{ code: "NOT_GRANTED" }]);
});

test("what it would change of the last of three is a block, too", async () => {
  const { call } = await startSession({
    first: { source: STRIPS, grant: all(10) },
    second: { source: onToolCall("event.input.command += ' -q';"), grant: all(5) },
    third: { source: ADDS_SUDO, grant: all(0) },
  });
  expect(await call("ls")).toMatchObject({ block: true, hook: "first" });
});

/** A hook that answers a result with this code, which sees its text as `text`. */
const onResult = (code: string): string => `export default (pi: any) => pi.on("tool_result", (event: any) => {
  const { text } = event.content[0];
  const say = (text: string) => ({ content: [{ type: "text", text }] });
  ${code}
});`;
const REDACTS = onResult("if (text.includes('TOKEN')) return say(text.replaceAll('TOKEN', '[redacted]'));");
const LEAKS = onResult("return say(text + ' TOKEN');");
const text = (outcome: unknown): string => (outcome as { content: { text: string }[] }).content[0]?.text as string;

// biome-ignore format: a table
test.each([
  ["a redactor whose work a later hook undoes", REDACTS, all(10), LEAKS, "x TOKEN", /^Result withheld: hook first: another hook changed the result after this one/],
  ["a redactor that found nothing before", REDACTS, all(10), LEAKS, "x", /^Result withheld: hook first: another hook/],
  ["one that may only withhold", REDACTS, all(10, { rewriteResult: [] }), LEAKS, "x", /^Result withheld: hook first changes it, and was not granted that/],
  ["one that throws when it sees the result again", onResult("if (text.includes('TOKEN')) throw new Error('no token');"), all(10), LEAKS, "x", /^Result withheld: hook first failed: no token/],
  ["a later change that it leaves", REDACTS, all(10), onResult("return say(text + '!');"), "x TOKEN", /^x \[redacted\]!$/],
  ["one that adds to whatever it sees", onResult("return say('> ' + text);"), all(10), LEAKS, "x", /^> x TOKEN$/],
  ["one that guards no results", REDACTS, all(10, { guardResult: [] }), LEAKS, "x TOKEN", /^x \[redacted\] TOKEN$/],
])("what a later hook makes of a result is seen by the guards before it: %s", async (_what, first, grant, second, result, says) => {
  const { host } = await startSession({
    first: { source: first, grant },
    second: { source: second, grant: all(0) },
  });
  const { result: outcome } = await host.emitToolResult({
    type: "tool_result",
    toolName: "bash",
    toolCallId: "1",
    input: { command: "ls" },
    content: [{ type: "text", text: result }],
    details: undefined,
    isError: false,
  });
  expect(text(outcome)).toMatch(says);
});
