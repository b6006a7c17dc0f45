import { describe, expect, test } from "vitest";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { onToolCall, sharedSession } from "../support/session.ts";

const CALL = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "rm -rf /" } };
const RESULT = { type: "tool_result", toolName: "bash", toolCallId: "1", input: {}, content: [], isError: false };

/** An event of an agent in plain JavaScript. */
const but = (event: object, changes: object): never => ({ ...event, ...changes }) as never;

// biome-ignore format: a table
const MALFORMED: [claim: string, event: (right: object) => never, says: RegExp][] = [
  ["no type",                (right) => but(right, { type: undefined }), /type of the event is not tool_/],
  ["a misspelt type",        (right) => but(right, { type: "tool_cal" }), /type of the event is not tool_.*: tool_cal/],
  ["a type in other letters", (right) => but(right, { type: "toolCall" }), /type of the event is not tool_/],
  ["another event's type",   (right) => but(right, { type: "session" }), /type of the event is not tool_/],
  ["no toolName",            (right) => but(right, { toolName: undefined }), /has no toolName/],
  ["a toolName of digits",   (right) => but(right, { toolName: 7 }), /has no toolName/],
  ["an empty toolName",      (right) => but(right, { toolName: "" }), /has no toolName/],
  ["no event at all",        () => undefined as never, /type of the event is not tool_/],
  ["a text",                 () => "tool_call" as never, /type of the event is not tool_/],
];

describe.each([
  ["a gate that looks at the tool", onToolCall('if (event.toolName === "bash") return { block: true, reason: "no" };')],
  ["a gate that blocks everything", onToolCall('return { block: true, reason: "no" };')],
])("with %s", (_name, gate) => {
  const session = sharedSession({ gate });

  test.each(MALFORMED)("a call with %s is blocked", async (_claim, event, says) => {
    const verdict = await session.host.emitToolCall(event(CALL));
    expect(verdict).toMatchObject({ block: true, hook: "", reason: expect.stringMatching(says) });
  });

  test.each(MALFORMED)("a result with %s is refused", async (_claim, event, says) => {
    await expect(session.host.emitToolResult(event(RESULT))).rejects.toThrow(says);
  });

  // biome-ignore format: a table
  test.each<[claim: string, event: unknown, says: RegExp]>([
    ["null",                null,                    /^an event must be an object with a type, a text$/],
    ["nothing",             undefined,               /^an event must be an object with a type, a text$/],
    ["a type of digits",    { type: 7 },             /^an event must be an object with a type, a text$/],
    ["a mistyped type",     { type: "agent_ends" },  /^there is no event agent_ends; did you mean agent_end/],
    ["a type like no other", { type: "xyzxyzxyz" },  /^there is no event xyzxyzxyz$/],
    ["a mistyped reason",   { type: "session", reason: "before_swich" }, /reason before_swich; did you mean before_switch/],
    ["a session without one", { type: "session" },   /^there is no session event with the reason undefined/],
  ])("%s is no event, which emit says", async (_claim, event, says) => {
    await expect(session.host.emit(event as never)).rejects.toMatchObject({ code: "BAD_GRANT", message: expect.stringMatching(says) });
  });

  // biome-ignore format: a table
  test.each<[claim: string, content: unknown]>([
    ["nothing",                  undefined],
    ["a text",                   "words"],
    ["a part that is a text",    ["words"]],
    ["a part without a type",    [{ text: "words" }]],
    ["a text of digits",         [{ type: "text", text: 5 }]],
    ["an image without a type",  [{ type: "image", data: "" }]],
  ])("a result whose content is %s is refused", async (_claim, content) => {
    await expect(session.host.emitToolResult(but(RESULT, { content }))).rejects.toMatchObject({ code: "BAD_GRANT" });
  });

  test("the same in the right form is judged", async () => {
    expect(await session.host.emitToolCall(but(CALL, {}))).toMatchObject({ block: true, reason: "no" });
    expect(await session.host.emitToolResult(but(RESULT, {}))).toMatchObject({ changedBy: [] });
  });

  // biome-ignore format: a table
  test.each([
    ["no name",       { nam: "bash", execute: () => {} }, /tool 1 has no name/],
    ["an empty name", { name: "", execute: () => {} },    /tool 1 has no name/],
    ["no execute",    { name: "bash", run: () => {} },    /tool bash has no execute/],
  ])("a tool with %s is not wrapped", (_claim, tool, says) => {
    const right = { name: "read", execute: async () => ({ content: [] }) };
    expect(() => wrapToolsWithHooks([right, tool as never], session.host)).toThrow(says);
  });

  test.each([undefined, null, {}, Promise.resolve()])("%j is no host, as one that nobody waited for", (host) => {
    expect(() => wrapToolsWithHooks([], host as never)).toThrow("as in: await HookHost.start(options)");
  });

  test.each([[{}], [null], ["bash"]])("%j is no list of tools", (tools) => {
    expect(() => wrapToolsWithHooks(tools as never, session.host)).toThrow("the tools must be an array");
    expect(() => wrapToolsWithHooks([tools] as never, session.host)).toThrow("tool 0 has no name");
  });
});
