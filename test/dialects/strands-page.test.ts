import { describe, expect, test } from "vitest";
import type { HookHost } from "../../src/host/host.ts";
import { onToolCall, scriptedUi, sharedSession, startSession } from "../support/session.ts";
import { blocked, PAGE } from "./strands-page-cases.ts";
import { QUESTIONS, UNSAID } from "./strands-page-notes.ts";
import { FULL, strandsSession } from "./strands-sides.ts";
import { before, ending, exported, literal, named, onCall, onResult, plugin, starting } from "./strands-source.ts";

describe("what the page says of a call, and what it leaves out", () => {
  const all = [...PAGE, ...QUESTIONS, ...UNSAID];
  const ui = scriptedUi({ input: "typed" });
  const bodies = all.map(([says, callbacks]) => {
    const functions = callbacks.map(
      (body) => `${body.includes("await ") ? "async " : ""}(event: any, agent: any) => { ${body} }`,
    );
    return `${JSON.stringify(says)}: [${functions}],`;
  });
  const source = plugin(
    `for (let at = 0; at < 3; at++)
      agent.addHook(BeforeToolCallEvent, (event: any) => BODIES[(event.says ??= event.toolUse.input.says)]?.[at]?.(event, agent));`,
    `const BODIES: Record<string, any> = {\n${bodies.join("\n")}\n};`,
  );
  const session = sharedSession({ plugin: { source, grant: FULL } }, { ui });

  test.each(all)("%s", async (says, _callbacks, outcome, asked = []) => {
    ui.shown.length = 0;
    const input = { kept: 1, says };
    const call = { toolName: "bash", toolCallId: "call-1", input, invocationState: { user: { id: 7 } } };
    const given = await session.host.emitToolCall({ type: "tool_call", ...call }, { canRun: () => true });
    if (given && "input" in given) delete given.input.says;
    expect(given).toEqual(matching(outcome));
    const titles = ui.shown.filter(({ kind }) => kind === "input").map(({ title }) => title);
    expect(titles).toEqual(asked.map((question) => `[hook plugin] ${question}`));
  });

  function matching(outcome: unknown): unknown {
    const { reason } = (outcome ?? {}) as { reason?: { has?: string } };
    return reason?.has === undefined ? outcome : blocked(expect.stringContaining(reason.has));
  }
});

const MAY_BLOCK = { capabilities: { events: { see: ["*"], block: true } } };

describe("a question needs a person, and the power to ask", () => {
  test.each([
    ["no answer blocks the call", FULL, scriptedUi(), "Interrupt go was not answered"],
    ["no user interface blocks the call", FULL, undefined, "Interrupt go was not answered"],
    ["no power to ask blocks the call with the power's name", MAY_BLOCK, scriptedUi({ input: "yes" }), /ui.*input/],
  ] as const)("%s", async (_claim, grant, ui, reason) => {
    const source = onCall('event.interrupt({ name: "go" });');
    const { call } = await startSession({ plugin: { source, grant } }, ui ? { ui } : {});
    expect(await call()).toEqual(blocked(expect.stringMatching(reason)));
  });
});

describe("choosing another tool needs events.rewriteInput for both", () => {
  test.each([
    { rewriteInput: ["bash"], outcome: undefined, refused: ["events.rewriteInput for read"] },
    { rewriteInput: ["read"], outcome: undefined, refused: ["events.rewriteInput for bash"] },
    { rewriteInput: ["bash", "read"], outcome: { toolName: "read", input: { command: "ls" } }, refused: [] },
  ])("$rewriteInput", async ({ rewriteInput, outcome, refused }) => {
    const source = onCall('event.selectedTool = event.agent.toolRegistry.get("read");');
    const grant = { capabilities: { events: { see: ["*"], block: true, rewriteInput } } };
    const { call, errors } = await startSession({ plugin: { source, grant } });
    expect(await call()).toEqual(outcome);
    expect(errors.map(({ error }) => error)).toEqual(refused.map((power) => expect.stringContaining(power)));
  });

  test("a later hook judges the call of the other tool", async () => {
    const chooser = onCall('event.toolUse.name = "read";');
    const gate = onToolCall('return event.toolName === "read" ? { block: true, reason: "no reading" } : undefined;');
    const { call } = await startSession({ plugin: { source: chooser, grant: FULL }, gate });
    expect(await call()).toEqual({ block: true, reason: "no reading", hook: "gate" });
  });
});

type ToolResult = Parameters<HookHost["emitToolResult"]>[0];

describe("AfterToolCallEvent hears a tool_result", () => {
  const result: ToolResult = {
    type: "tool_result",
    toolName: "bash",
    toolCallId: "call-1",
    input: { command: "ls" },
    content: [{ type: "text", text: "out" }],
    isError: false,
  };
  const more = onResult('append(event, "more");');

  test("it replaces the result with events.rewriteResult", async () => {
    const { host } = await strandsSession({ plugin: more });
    const content = [...result.content, { type: "text", text: "more" }];
    expect(await host.emitToolResult(result)).toEqual({ result: { content }, changedBy: ["plugin"] });
  });

  test("it replaces nothing without that power", async () => {
    const grant = { capabilities: { events: { see: ["*"], rewriteResult: ["read"] } } };
    const { host, errors } = await startSession({ plugin: { source: more, grant } });
    expect(await host.emitToolResult(result)).toEqual({ result: undefined, changedBy: [] });
    expect(errors.map(({ error }) => error)).toEqual([expect.stringContaining("events.rewriteResult for bash")]);
  });

  test("retry, and a result that is not a ToolResultBlock, change nothing and are reported", async () => {
    const source = onResult(
      'if (event.toolUse.input.command === "ls") event.retry = true; else event.result = { content: [] };',
    );
    const { host, errors } = await strandsSession({ plugin: source });
    const nothing = { result: undefined, changedBy: [] };
    expect(await host.emitToolResult(result)).toEqual(nothing);
    expect(await host.emitToolResult({ ...result, input: {} })).toEqual(nothing);
    expect(errors.map(({ error, event }) => [event, error])).toEqual([
      ["tool_result", "event.retry cannot be offered to a hook: the tool has run once"],
      ["tool_result", "event.result was replaced by something that is not a ToolResultBlock"],
    ]);
  });
});

test("Before/AfterInvocationEvent hear agent_start and agent_end", async () => {
  const source = plugin(
    starting("told.push(event.type, event.agent === agent);") +
      ending("told.push(event.type, event instanceof AfterInvocationEvent);") +
      before("event.cancel = told.join();"),
    "const told: unknown[] = [];",
  );
  const { host, call } = await strandsSession({ plugin: source });
  await host.emit({ type: "agent_start" });
  await host.emit({ type: "agent_end", messages: [] });
  expect(await call()).toEqual(blocked("beforeInvocationEvent,true,afterInvocationEvent,true"));
});

const gate = before('event.cancel = "heard";');
// biome-ignore format: a table
const LOADING = [
  ["an object without initAgent does not load: there is no HookProvider", exported("{ registerHooks() {} }"),
    "the hook must export a plugin"],
  ["a plugin {name, initAgent(agent)} loads", exported(literal(gate)), "heard"],
  ["a plugin without a name loads", exported(`{ initAgent(agent: any) { ${gate} } }`), "heard"],
  ["a plugin that is exported under its own name loads", named(`export const mine = ${literal(gate)};`), "heard"],
  ["agent.addHook takes an event class, a callback and {order?}",
    plugin(before("event.cancel ||= 'late';", "1") + gate), "heard"],
  ["addHook without a callback does not load", plugin(`${gate} agent.addHook(BeforeToolCallEvent);`),
    "takes an event class and a callback"],
  ["addHook of another class does not load", plugin(`${gate} agent.addHook(class Other {}, () => {});`),
    "agent.addHook cannot offer Other"],
  ["addHook without a class does not load", plugin(`${gate} agent.addHook('x', () => {});`),
    "a value that is not an event of @strands-agents/sdk"],
  ["an order that is not a number does not load", plugin(before("", "'first'")), "the order of a hook is not a number"],
  ["an initAgent that throws does not load", plugin("throw new Error('not today');"), "not today"],
] as const;

test.each(LOADING)("%s", async (_claim, source, reason) => {
  const { call, host } = await strandsSession({ plugin: source });
  expect(await call()).toEqual(blocked(expect.stringContaining(reason)));
  expect(host.hooks[0]?.state === "active").toBe(reason === "heard");
  if (reason === "heard") expect(host.hooks[0]).toMatchObject({ dialect: "strands", events: ["tool_call"] });
});
