import { describe, expect, test } from "vitest";
import { agentCallbacks, withCordon } from "../../src/agents/ai/index.ts";
import { sharedSession, startSession } from "../support/session.ts";
import { aiModel, resultsIn, VERSIONS } from "./ai-model.ts";
import { aiScene, CHANGED, RM } from "./ai-scene.ts";
import { GATE, granted, REDACT } from "./hooks.ts";
import { heardIn, ONE_CALL, TURNS } from "./turn-hook.ts";

/** Chooses the other of two tools, once. */
const CHOOSER = granted(
  `import { BeforeToolCallEvent } from "@strands-agents/sdk";
   const done = new Set();
   export default {
     name: "chooser",
     initAgent(agent: any) {
       agent.addHook(BeforeToolCallEvent, (event: any) => {
         const { name, toolUseId } = event.toolUse;
         if (done.has(toolUseId)) return;
         done.add(toolUseId);
         event.selectedTool = agent.toolRegistry.get(name === "bash" ? "yields" : "bash");
       });
     },
   };`,
  { rewriteInput: ["*"] },
);

describe.each(VERSIONS)("$name", (version) => {
  const { ai, Mock } = version;
  const session = sharedSession({ gate: GATE, redact: REDACT });
  const { inputSchema, ran, bash, read } = aiScene(version, session);

  test("`streamText` and `ToolLoopAgent` are guarded as `generateText` is", async () => {
    const streamed = aiModel(Mock, [RM]);
    const stream = ai.streamText({
      model: streamed.model,
      prompt: "go",
      tools: withCordon({ bash }, session.host),
      stopWhen: ai.stepCountIs(3),
    });
    expect(await stream.text).toBe("done");
    const looped = aiModel(Mock, [RM]);
    const agent = new ai.ToolLoopAgent({ model: looped.model, tools: withCordon({ bash }, session.host) });
    expect((await agent.generate({ prompt: "go" })).text).toBe("done");
    for (const one of [streamed, looped]) expect(resultsIn(one)).toEqual(["Blocked by hook gate: not with rm -rf"]);
  });

  test("a dynamic tool is guarded", async () => {
    const dynamic = ai.dynamicTool({ inputSchema, execute: bash.execute as () => Promise<string> });
    const got = await read({ bash: dynamic }, [RM]);
    expect(got).toEqual(["Blocked by hook gate: not with rm -rf"]);
  });

  test("a tool that yields shows nothing before hooks have seen it, and without such hooks all", async () => {
    const yields = ai.tool({
      inputSchema,
      async *execute() {
        yield "the password is";
        yield "the password is hunter2";
      },
    });
    const pieces = async (host: typeof session.host) => {
      const scripted = aiModel(Mock, [{ tool: "yields", input: {} }]);
      const { fullStream } = ai.streamText({
        model: scripted.model,
        prompt: "go",
        tools: withCordon({ yields }, host),
        stopWhen: ai.stepCountIs(3),
      });
      const seen: unknown[] = [];
      for await (const part of fullStream) if (part.type === "tool-result") seen.push(part.output);
      return [...seen, resultsIn(scripted)];
    };
    const redacted = `${CHANGED}the password is ***`;
    expect(await pieces(session.host)).toEqual([redacted, redacted, [redacted]]);
    const whole = "the password is hunter2";
    const { host } = await startSession({ gate: GATE });
    expect(await pieces(host)).toEqual(["the password is", whole, whole, [whole]]);
  });

  test("a tool that yields, and one that does not, may be chosen for each other", async () => {
    const { host } = await startSession({ chooser: CHOOSER });
    const yields = ai.tool({
      inputSchema,
      async *execute(input) {
        yield `yields ${input.command}`;
      },
    });
    const calls = ["bash", "yields"].map((tool) => ({ tool, input: { command: "other" } }));
    expect(await read({ bash, yields }, calls, host)).toEqual(["yields other", "ran other"]);
  });

  test("a plain function that returns pieces gives the last, judged", async () => {
    const pieces = async function* () {
      yield "hunter2";
      yield "hunter2 twice";
    };
    const got = await read({ lists: ai.tool({ inputSchema, execute: () => pieces() }) }, [
      { tool: "lists", input: {} },
    ]);
    expect(got).toEqual([`${CHANGED}*** twice`]);
  });

  test("a tool without execute is refused by name, unless it is named", () => {
    const client = ai.tool({ inputSchema, outputSchema: ai.jsonSchema<string>({ type: "string" }) });
    expect(() => withCordon({ bash, client }, session.host)).toThrow(
      /the tool client has no execute.*unjudged: \["client"\]/,
    );
    expect(withCordon({ bash, client }, session.host, { unjudged: ["client"] }).client).toBe(client);
  });

  test("what is wrapped can neither be changed nor added to, and changes of the tools themselves do not count", async () => {
    const own = { ...bash };
    const wrapped = withCordon({ own }, session.host) as Record<string, unknown>;
    expect(() => {
      wrapped.later = bash;
    }).toThrow(TypeError);
    expect(() => Object.assign(wrapped.own as object, { execute: bash.execute })).toThrow(TypeError);
    own.execute = async () => "replaced";
    const scripted = aiModel(Mock, [{ tool: "own", input: { command: "ls" } }]);
    await ai.generateText({
      model: scripted.model,
      prompt: "go",
      tools: wrapped as Parameters<typeof read>[0],
      stopWhen: ai.stepCountIs(3),
    });
    expect(resultsIn(scripted)).toEqual(["ran ls"]);
  });

  test("a getter that gives another function later gives none", async () => {
    let reads = 0;
    const sly = {
      ...bash,
      get execute() {
        return ++reads === 1 ? bash.execute : async () => "unjudged";
      },
    };
    expect(await read({ sly }, [{ tool: "sly", input: { command: "rm -rf /" } }])).toEqual([
      "Blocked by hook gate: not with rm -rf",
    ]);
    expect(await read({ sly }, [{ tool: "sly", input: { command: "ls" } }])).not.toContain("ran rm");
  });

  test("an input with a getter or a toJSON runs nothing of it, and not the tool", async () => {
    const touched: string[] = [];
    const wrapped = withCordon({ bash }, session.host).bash as { execute(input: object, options: object): unknown };
    const getter = {
      get command() {
        touched.push("getter");
        return "ls";
      },
    };
    const json = { command: "ls", toJSON: () => touched.push("toJSON") };
    ran.length = 0;
    for (const [input, why] of [
      [getter, /input.command is a getter/],
      [json, /input.toJSON is a function/],
    ] as const)
      await expect(wrapped.execute(input, { toolCallId: "1", messages: [] })).rejects.toThrow(why);
    expect([...touched, ...ran]).toEqual([]);
  });

  test("two wraps of one host judge twice, and change nothing more", async () => {
    const twice = withCordon(withCordon({ bash }, session.host), session.host);
    expect(await read(twice, [RM, { tool: "bash", input: { command: "ls" } }])).toEqual([
      "Blocked by hook gate: not with rm -rf",
      "ran ls",
    ]);
  });
});

describe.each(VERSIONS)("events of $name", ({ ai, Mock }) => {
  const session = sharedSession(TURNS);

  test("hooks hear of the run and its turns", async () => {
    const inputSchema = ai.jsonSchema<object>({ type: "object" });
    const tools = withCordon({ bash: ai.tool({ inputSchema, execute: async () => "ran" }) }, session.host);
    const { model } = aiModel(Mock, [{ tool: "bash", input: {} }]);
    await ai.generateText({ ...agentCallbacks(session.host), model, prompt: "go", tools, stopWhen: ai.stepCountIs(3) });
    expect(heardIn(session)).toEqual(ONE_CALL);
  });
});
