import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HookHost } from "../../src/index.ts";
import { onToolCall, scriptedUi, startSession, writeFiles } from "../support/session.ts";
import { blocked, PAGE } from "./strands-page-cases.ts";
import { NOTES, QUESTIONS } from "./strands-page-notes.ts";
import { FULL, strandsSession } from "./strands-sides.ts";
import { after, before, ending, exported, literal, named, plugin, starting } from "./strands-source.ts";

describe("what the page and NOTES say of a call", () => {
  const all = [...PAGE, ...QUESTIONS, ...NOTES];
  const ui = scriptedUi({ input: "typed" });
  let folder: string;
  let host: HookHost;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-test-")));
    const table = all.map(
      ({ says, callbacks }) =>
        `${JSON.stringify(says)}: [${callbacks.map(
          (body) => `${body.includes("await ") ? "async " : ""}(event: any, agent: any) => { ${body} }`,
        )}],`,
    );
    const source = plugin(
      `for (let at = 0; at < 3; at++)
        agent.addHook(BeforeToolCallEvent, (event: any) => BODIES[(event.says ??= event.toolUse.input.says)]?.[at]?.(event, agent));`,
      `const BODIES: Record<string, any> = {\n${table.join("\n")}\n};`,
    );
    mkdirSync(join(folder, "work"));
    writeFiles(folder, { "plugin.ts": source });
    host = await HookHost.start({
      cwd: join(folder, "work"),
      home: join(folder, "home"),
      discover: false,
      hooks: [{ path: join(folder, "plugin.ts"), id: "plugin", grant: FULL }],
      ui,
      log: () => {},
    });
  });
  afterAll(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(all.map((one) => [one.says, one] as const))("%s", async (says, { outcome, asked = [] }) => {
    ui.shown.length = 0;
    const given = await host.emitToolCall(
      {
        type: "tool_call",
        toolName: "bash",
        toolCallId: "call-1",
        input: { kept: 1, says },
        invocationState: { user: { id: 7 } },
      },
      { canRun: () => true },
    );
    if (given && "input" in given) delete given.input.says;
    expect(given).toEqual(matching(outcome));
    expect(ui.shown.filter(({ kind }) => kind === "input").map(({ title }) => title)).toEqual(asked);
  });

  function matching(outcome: unknown): unknown {
    const { reason } = (outcome ?? {}) as { reason?: { has?: string } };
    return reason?.has === undefined ? outcome : blocked(expect.stringContaining(reason.has));
  }
});

describe("a question needs a person, and the power to ask", () => {
  const asks = plugin(before('event.interrupt({ name: "go" });'));

  test("no answer: the call is blocked", async () => {
    const { call } = await strandsSession({ plugin: asks }, scriptedUi());
    expect(await call()).toEqual(blocked("Interrupt go was not answered"));
  });

  test("no user interface: the call is blocked", async () => {
    const { call } = await strandsSession({ plugin: asks });
    expect(await call()).toEqual(blocked("Interrupt go was not answered"));
  });

  test("no power to ask: the call is blocked, and the person is told the power's name", async () => {
    const grant = { capabilities: { events: { see: ["*"], block: true } } };
    const { call } = await startSession({ plugin: { source: asks, grant } }, { ui: scriptedUi({ input: "yes" }) });
    expect(await call()).toEqual(blocked(expect.stringMatching(/ui.*input|input.*ui/)));
  });
});

describe("choosing another tool needs events.rewriteInput for both", () => {
  test.each([
    { rewriteInput: ["bash"], outcome: undefined, refused: ["events.rewriteInput for read"] },
    { rewriteInput: ["read"], outcome: undefined, refused: ["events.rewriteInput for bash"] },
    { rewriteInput: ["bash", "read"], outcome: { toolName: "read", input: { command: "ls" } }, refused: [] },
  ])("$rewriteInput", async ({ rewriteInput, outcome, refused }) => {
    const source = plugin(before('event.selectedTool = event.agent.toolRegistry.get("read");'));
    const grant = { capabilities: { events: { see: ["*"], block: true, rewriteInput } } };
    const { call, errors } = await startSession({ plugin: { source, grant } });
    expect(await call()).toEqual(outcome);
    expect(errors.map(({ error }) => error)).toEqual(refused.map((power) => expect.stringContaining(power)));
  });

  test("a bundle behind it judges the call of the other tool, and both judge it", async () => {
    const chooser = plugin(before('event.toolUse.name = "read";'));
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
  const more = plugin(after('append(event, "more");'));

  test("and replaces it with events.rewriteResult", async () => {
    const { host } = await strandsSession({ plugin: more });
    const content = [...result.content, { type: "text", text: "more" }];
    expect(await host.emitToolResult(result)).toEqual({ result: { content }, changedBy: ["plugin"] });
  });

  test("and without that power replaces nothing", async () => {
    const grant = { capabilities: { events: { see: ["*"], rewriteResult: ["read"] } } };
    const { host, errors } = await startSession({ plugin: { source: more, grant } });
    expect(await host.emitToolResult(result)).toEqual({ result: undefined, changedBy: [] });
    expect(errors.map(({ error }) => error)).toEqual([expect.stringContaining("events.rewriteResult for bash")]);
  });

  test("retry is not offered, which is reported; a result that is no ToolResultBlock is none", async () => {
    const source = plugin(
      after('if (event.toolUse.input.command === "ls") event.retry = true; else event.result = { content: [] };'),
    );
    const { host, errors } = await strandsSession({ plugin: source });
    const nothing = { result: undefined, changedBy: [] };
    expect(await host.emitToolResult(result)).toEqual(nothing);
    expect(await host.emitToolResult({ ...result, input: {} })).toEqual(nothing);
    expect(errors.map(({ error, event }) => [event, error])).toEqual([
      ["tool_result", "event.retry cannot be offered to a hook: the tool has run once"],
      ["tool_result", "event.result was replaced by something that is no ToolResultBlock"],
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
test.each([
  ["There is no HookProvider", exported("{ registerHooks() {} }"), "the hook must export a plugin"],
  ["a plugin is {name, initAgent(agent)}", exported(literal(gate)), "heard"],
  ["a plugin without a name", exported(`{ initAgent(agent: any) { ${gate} } }`), "heard"],
  ["a plugin by a name of its own", named(`export const mine = ${literal(gate)};`), "heard"],
  ["agent.addHook(EventClass, callback, {order?})", plugin(before("event.cancel ||= 'late';", "1") + gate), "heard"],
  [
    "addHook without a callback",
    plugin(`${gate} agent.addHook(BeforeToolCallEvent);`),
    "takes an event class and a callback",
  ],
  [
    "addHook of another class",
    plugin(`${gate} agent.addHook(class Other {}, () => {});`),
    "agent.addHook cannot offer Other",
  ],
  [
    "addHook of no class",
    plugin(`${gate} agent.addHook('x', () => {});`),
    "what is no event class of @strands-agents/sdk",
  ],
  ["an order that is no number", plugin(before("", "'first'")), "the order of a hook is no number"],
  ["initAgent that throws", plugin("throw new Error('not today');"), "not today"],
] as const)("loading: %s", async (_name, source, reason) => {
  const { call, host } = await strandsSession({ plugin: source });
  expect(await call()).toEqual(blocked(expect.stringContaining(reason)));
  expect(host.hooks[0]?.state === "active").toBe(reason === "heard");
  if (reason === "heard") expect(host.hooks[0]).toMatchObject({ dialect: "strands", events: ["tool_call"] });
});
