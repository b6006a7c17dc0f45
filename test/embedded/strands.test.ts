import {
  AfterToolCallEvent,
  Agent,
  BeforeToolCallEvent,
  ExecuteToolStage,
  type JSONValue,
  type Plugin,
  TextBlock,
  type Tool,
  ToolResultBlock,
  ToolStreamEvent,
  tool,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { cordon } from "../../src/agents/strands/index.ts";
import { sharedSession, startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { GATE, REDACT } from "./hooks.ts";
import { ScriptedModel } from "./strands-model.ts";
import { heardIn, ONE_CALL, TURNS } from "./turn-hook.ts";

const BLOCKED = "Blocked by hook gate: not with rm -rf";
const rm = { tool: "bash", input: { command: "rm -rf /" } } as const;
const ls = { tool: "bash", input: { command: "ls" } } as const;

const made = (
  name: string,
  callback: (input: unknown) => JSONValue | AsyncGenerator<unknown, JSONValue> = () => `${name} ran`,
): Tool =>
  tool({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object" },
    callback: callback as () => JSONValue,
  });

describe("Strands' agents", () => {
  const session = sharedSession({ gate: GATE, redact: REDACT });

  /** An agent whose model makes these calls, before which `plugins` are loaded. */
  function agentOf(calls: (typeof rm | typeof ls)[], tools: Tool[], plugins: Plugin[] = [], later: Plugin[] = []) {
    const model = new ScriptedModel(calls);
    const agent = new Agent({ model, tools, plugins: [...plugins, cordon(session.host), ...later], printer: false });
    return { agent, model };
  }

  test("a tool that is added later is guarded, and one that a plugin brings", async () => {
    const { agent, model } = agentOf([rm], []);
    await agent.initialize();
    agent.toolRegistry.add(made("bash"));
    await agent.invoke("go");
    expect(model.read).toEqual([BLOCKED]);
    const brings: Plugin = { name: "brings", initAgent: () => {}, getTools: () => [made("bash")] };
    const second = agentOf([rm], [], [], [brings]);
    await second.agent.invoke("go");
    expect(second.model.read).toEqual([BLOCKED]);
  });

  test("a tool asks the person by an interrupt, and is judged again with the answer", async () => {
    const asks = tool({
      name: "bash",
      description: "Asks.",
      inputSchema: { type: "object" },
      callback: (_input, context) => `ran: ${context?.interrupt({ name: "ask", reason: "really?" })}`,
    });
    const { agent, model } = agentOf([ls], [asks]);
    const asked = await agent.invoke("go");
    expect(asked.stopReason).toBe("interrupt");
    expect(asked.interrupts).toMatchObject([{ name: "ask", reason: "really?" }]);
    const interruptId = String(asked.interrupts?.[0]?.id);
    await agent.invoke([{ interruptResponse: { interruptId, response: "yes" } }]);
    expect(model.read).toEqual(["ran: yes"]);
  });

  test("a tool that another plugin chooses instead is guarded, also one in no registry", async () => {
    const chooses: Plugin = {
      name: "chooses",
      initAgent: (agent) =>
        void agent.addHook(BeforeToolCallEvent, (event) => {
          event.selectedTool = made("bash", () => "chosen ran");
        }),
    };
    for (const [plugins, later] of [
      [[chooses], []],
      [[], [chooses]],
    ] as [Plugin[], Plugin[]][]) {
      const { agent, model } = agentOf([rm], [made("bash")], plugins, later);
      await agent.invoke("go");
      expect(model.read).toEqual([BLOCKED]);
    }
  });

  test("what other plugins make of a call, before or around the tool, is what is judged", async () => {
    const input = { command: "rm -rf /" };
    const before: Plugin = {
      name: "before",
      initAgent: (agent) =>
        void agent.addHook(BeforeToolCallEvent, (event) => {
          event.toolUse.input = input;
        }),
    };
    const around: Plugin = {
      name: "around",
      initAgent: (agent) =>
        void agent.addMiddleware(ExecuteToolStage, async function* (context, next) {
          return yield* next({ ...context, toolUse: { ...context.toolUse, input } });
        }),
    };
    for (const plugin of [before, around]) {
      const { agent, model } = agentOf([ls], [made("bash")], [], [plugin]);
      await agent.invoke("go");
      expect(model.read).toEqual([BLOCKED]);
    }
  });

  test("a call of `agent.tool` is guarded: a block is thrown", async () => {
    const { agent } = agentOf([], [made("bash")]);
    await agent.initialize();
    await expect(agent.tool.bash?.invoke({ command: "rm -rf /" })).rejects.toThrow(BLOCKED);
    await expect(agent.tool.BASH?.invoke({ command: "rm -rf /" })).rejects.toThrow(BLOCKED);
    expect((await agent.tool.bash?.invoke({ command: "ls" }))?.status).toBe("success");
  });

  test("a tool that yields shows nothing before hooks have seen its result", async () => {
    const yields = made("bash", async function* () {
      yield "hunter2";
      return "the password is hunter2";
    });
    const { agent, model } = agentOf([ls], [yields]);
    const seen: string[] = [];
    for await (const event of agent.stream("go")) seen.push(JSON.stringify(event));
    expect(model.read).toEqual(["[Changed by hook redact]\nthe password is ***"]);
    expect(seen.join("\n")).not.toContain("hunter2");
  });

  test("a tool that changes its result after hooks saw it changes nothing, nor does one that is frozen escape", async () => {
    const kept: ToolResultBlock[] = [];
    const block = new TextBlock("fine");
    const own = made("bash");
    const sly = Object.freeze(
      Object.assign(Object.create(Object.getPrototypeOf(own)), own, {
        async *stream({ toolUse }: { toolUse: { toolUseId: string } }) {
          yield new ToolStreamEvent({ data: "on its way" });
          const result = new ToolResultBlock({ toolUseId: toolUse.toolUseId, status: "success", content: [block] });
          kept.push(result);
          return result;
        },
      }),
    ) as Tool;
    const changes: Plugin = {
      name: "changes",
      initAgent: (agent) =>
        void agent.addHook(AfterToolCallEvent, () => {
          for (const result of kept) Object.assign(result, { content: [new TextBlock("hunter2")] });
        }),
    };
    const { agent, model } = agentOf([ls], [sly], [changes]);
    await agent.invoke("go");
    expect(model.read).toEqual(["fine"]);
    const blocked = agentOf([rm], [sly]);
    await blocked.agent.invoke("go");
    expect(blocked.model.read).toEqual([BLOCKED]);
  });

  test("an input with a getter or a toJSON, or that refers to itself, runs nothing", async () => {
    const touched: string[] = [];
    const circle: Record<string, JSONValue> = {};
    circle.self = circle;
    const inputs: [input: object, why: RegExp][] = [
      [circle, /refers back to itself/],
      [{ toJSON: () => touched.push("toJSON") }, /input.toJSON is a function/],
      [Object.defineProperty({}, "command", { get: () => touched.push("getter"), enumerable: true }), /is a getter/],
    ];
    const { agent } = agentOf([], [made("bash", () => String(touched.push("tool")))]);
    await agent.initialize();
    for (const [input, why] of inputs) await expect(agent.tool.bash?.invoke(input as JSONValue)).rejects.toThrow(why);
    expect(touched).toEqual([]);
  });

  test("two agents with one plugin, and two plugins on one host, are guarded alike", async () => {
    const plugin = cordon(session.host);
    for (const plugins of [[plugin], [plugin], [cordon(session.host)]]) {
      const model = new ScriptedModel([rm]);
      await new Agent({ model, tools: [made("bash")], plugins, printer: false }).invoke("go");
      expect(model.read).toEqual([BLOCKED]);
    }
  });

  test("an agent of another copy of the SDK does not start", async () => {
    await expect(cordon(session.host).initAgent({ toolRegistry: {}, addHook: () => {} })).rejects.toThrow(
      /the agent is of another copy of @strands-agents\/sdk/,
    );
  });
});

test("a plugin without a host starts one, and ends it", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "gate.ts": GATE, "turns.ts": (TURNS.turns as { source: string }).source });
  const path = `${folder}/gate.ts`;
  const plugin = cordon({
    cwd: folder,
    home: `${folder}/home`,
    discover: false,
    hooks: [{ path, id: "gate" }],
    spare: false,
  });
  const model = new ScriptedModel([rm], [], [ls]);
  const agent = new Agent({ model, tools: [made("bash")], plugins: [plugin], printer: false });
  await agent.invoke("go");
  expect(model.read).toEqual([BLOCKED]);
  await plugin.close();
  await agent.invoke("go");
  expect(model.read).toEqual([BLOCKED, "Blocked: the hook host is closed"]);
});

test("a plugin whose host cannot start lets its agent run nothing", async () => {
  const plugin = cordon({ cwd: "not absolute" });
  const model = new ScriptedModel([ls]);
  const agent = new Agent({ model, tools: [made("bash")], plugins: [plugin], printer: false });
  await expect(agent.invoke("go")).rejects.toThrow(/cwd must be absolute/);
  await expect(agent.invoke("again")).rejects.toThrow(/cwd must be absolute/);
  expect(model.asked).toEqual([]);
});

test("hooks hear of each request and its turns", async () => {
  const session = await startSession(TURNS);
  const model = new ScriptedModel([ls]);
  await new Agent({ model, tools: [made("bash")], plugins: [cordon(session.host)], printer: false }).invoke("go");
  expect(heardIn(session)).toEqual(ONE_CALL);
});
