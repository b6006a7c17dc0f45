import { describe, expect, test } from "vitest";
import { agentCallbacks, withCordon } from "../../src/agents/ai/index.ts";
import { on, onToolCall, sharedSession, startSession } from "../support/session.ts";
import { aiModel, resultsIn, VERSIONS } from "./ai-model.ts";
import { heardIn, ONE_CALL, TURNS } from "./turn-hook.ts";

const events = (more: object) => ({ grant: { capabilities: { events: { see: ["*"], block: true, ...more } } } });
const GATE = onToolCall(
  `if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`,
);
const REDACT = {
  source: on(
    "tool_result",
    `const content = event.content.map((one) => ({ ...one, text: one.text.replaceAll("hunter2", "***") }));
     if (JSON.stringify(content) !== JSON.stringify(event.content)) return { content };`,
  ),
  ...events({ rewriteResult: ["*"] }),
};
const REWRITE = {
  source: onToolCall(`if (event.input.command === "asked") event.input.command = "rewritten";`),
  ...events({ rewriteInput: ["*"] }),
};
/** Chooses the other of two tools, once. */
const CHOOSER = {
  source: `
    import { BeforeToolCallEvent } from "@strands-agents/sdk";
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
  ...events({ rewriteInput: ["*"] }),
};
const CHANGED = "[Changed by hook redact]\n";

describe.each(VERSIONS)("$name", ({ name, ai, Mock }) => {
  const session = sharedSession({ gate: GATE, redact: REDACT, rewrite: REWRITE });
  const inputSchema = ai.jsonSchema<{ command?: string }>({ type: "object" });
  const ran: unknown[] = [];
  const bash = ai.tool({
    inputSchema,
    execute: async (input) => {
      ran.push(input);
      return `ran ${input.command}`;
    },
  });
  type Tools = Parameters<typeof ai.generateText>[0]["tools"] & object;

  /** One run with these tools, as they are or wrapped, and what the model read. */
  async function run(tools: Tools, calls: { tool: string; input: object }[], more: object = {}) {
    ran.length = 0;
    const scripted = aiModel(Mock, calls);
    const wrapped = withCordon(tools, session.host);
    const result = await ai.generateText({
      model: scripted.model,
      prompt: "go",
      tools: wrapped,
      stopWhen: ai.stepCountIs(3),
      ...more,
    });
    return { read: resultsIn(scripted), result };
  }
  const rm = { tool: "bash", input: { command: "rm -rf /" } };

  test("`streamText` and `ToolLoopAgent` are guarded as `generateText` is", async () => {
    const streamed = aiModel(Mock, [rm]);
    const stream = ai.streamText({
      model: streamed.model,
      prompt: "go",
      tools: withCordon({ bash }, session.host),
      stopWhen: ai.stepCountIs(3),
    });
    expect(await stream.text).toBe("done");
    const looped = aiModel(Mock, [rm]);
    const agent = new ai.ToolLoopAgent({ model: looped.model, tools: withCordon({ bash }, session.host) });
    expect((await agent.generate({ prompt: "go" })).text).toBe("done");
    for (const one of [streamed, looped]) expect(resultsIn(one)).toEqual(["Blocked by hook gate: not with rm -rf"]);
  });

  test("a dynamic tool is guarded", async () => {
    const dynamic = ai.dynamicTool({ inputSchema, execute: bash.execute as () => Promise<string> });
    const { read } = await run({ bash: dynamic }, [rm]);
    expect(read).toEqual(["Blocked by hook gate: not with rm -rf"]);
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
    const tools = withCordon({ bash, yields }, host);
    const calls = ["bash", "yields"].map((tool) => ({ tool, input: { command: "other" } }));
    const scripted = aiModel(Mock, calls);
    await ai.generateText({ model: scripted.model, prompt: "go", tools, stopWhen: ai.stepCountIs(3) });
    expect(resultsIn(scripted)).toEqual(["yields other", "ran other"]);
  });

  test("a plain function that returns pieces gives the last, judged", async () => {
    const pieces = async function* () {
      yield "hunter2";
      yield "hunter2 twice";
    };
    const { read } = await run({ lists: ai.tool({ inputSchema, execute: () => pieces() }) }, [
      { tool: "lists", input: {} },
    ]);
    expect(read).toEqual([`${CHANGED}*** twice`]);
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
      tools: wrapped as Tools,
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
    expect((await run({ sly } as Tools, [{ tool: "sly", input: { command: "rm -rf /" } }])).read).toEqual([
      "Blocked by hook gate: not with rm -rf",
    ]);
    expect((await run({ sly } as Tools, [{ tool: "sly", input: { command: "ls" } }])).read).not.toContain("ran rm");
  });

  const OUTPUTS: [what: string, output: () => unknown, read: string | RegExp][] = [
    ["a toJSON that says another thing each time", () => sly(), '{"n":1}'],
    ["a getter that says another thing each time", () => counting(), '{"n":1}'],
    ["a date", () => new Date(0), "1970-01-01T00:00:00.000Z"],
    ["nothing", () => undefined, "null"],
    ["a stream", () => new ReadableStream(), /^Withheld by Cordon: .*an object of ReadableStream/],
    ["bytes", () => new Uint8Array([104, 105]), /^Withheld by Cordon: .*an object of Uint8Array/],
    ["a map", () => ({ in: new Map([["hunter2", 1]]) }), /^Withheld by Cordon: .*an object of Map/],
    ["a function", () => ({ run: () => "hunter2" }), /^Withheld by Cordon: .*a function/],
    ["a circle", () => Object.assign(Object.create(null), { self: globalThis }), /^Withheld by Cordon/],
  ];
  const sly = () => {
    let n = 0;
    return { toJSON: () => ({ n: ++n }) };
  };
  const counting = () => {
    let n = 0;
    return {
      get n() {
        return ++n;
      },
    };
  };

  test.each(OUTPUTS)("of a result with %s the model reads what hooks saw, or nothing", async (_what, output, read) => {
    const gives = ai.tool({ inputSchema, execute: async () => output() });
    const got = await run({ gives }, [{ tool: "gives", input: {} }]);
    if (read instanceof RegExp) expect(got.read[0]).toMatch(read);
    else expect(got.read).toEqual([read]);
  });

  test("a tool's own conversion for the model gets its own results, and none that hooks changed", async () => {
    const converts = ai.tool({
      inputSchema,
      execute: async (input) => ({ words: input.command }),
      toModelOutput: ({ output }) => ({ type: "text", value: `<${output.words}>` }),
    });
    const call = (command: string) => [{ tool: "converts", input: { command } }];
    expect((await run({ converts }, call("plain"))).read).toEqual(["<plain>"]);
    expect((await run({ converts }, call("hunter2"))).read).toEqual([`${CHANGED}{"words":"***"}`]);
  });

  test("an error of a tool is shown to hooks, and the model reads what they leave", async () => {
    const fails = ai.tool({
      inputSchema,
      execute: async (): Promise<string> => {
        throw new Error("no hunter2");
      },
    });
    expect((await run({ fails }, [{ tool: "fails", input: {} }])).read).toEqual([`${CHANGED}no ***`]);
  });

  test("an input that hooks changed does not run where a person approves inputs", async () => {
    const asked = { tool: "bash", input: { command: "asked" } };
    const unasked = await run(
      { bash: { ...bash, needsApproval: async ({ command }: { command?: string }) => command === "rewritten" } },
      [asked],
    );
    expect(unasked.read[0]).toMatch(/^Blocked: a hook changed this call, which takes a person's approval/);
    expect(ran).toEqual([]);
    const free = await run({ bash: { ...bash, needsApproval: async () => false } }, [asked]);
    expect(free.read).toEqual(["ran rewritten"]);
  });

  const APPROVALS = [
    ["the tool", { needsApproval: true }, {}],
    // Version 6 has no such setting.
    ...(name === "ai 7" ? ([["the request", {}, { toolApproval: { bash: "user-approval" } }]] as const) : []),
  ] as const;

  test.each(APPROVALS)(
    "where %s wants approval, an approved call is judged, and blocked if hooks change it",
    async (_who, ofTool, ofRequest) => {
      const tools = withCordon({ bash: { ...bash, ...ofTool } }, session.host);
      const after = async (command: string): Promise<string[]> => {
        ran.length = 0;
        const first = aiModel(Mock, [{ tool: "bash", input: { command } }]);
        const asked = await ai.generateText({
          model: first.model,
          prompt: "go",
          tools,
          stopWhen: ai.stepCountIs(3),
          ...ofRequest,
        });
        const request = asked.content.find((part) => part.type === "tool-approval-request");
        expect(request).toBeDefined();
        expect(ran).toEqual([]);
        const approvalId = (request as { approvalId: string }).approvalId;
        const approval = { type: "tool-approval-response" as const, approvalId, approved: true };
        const second = aiModel(Mock, []);
        await ai.generateText({
          model: second.model,
          messages: [
            { role: "user", content: "go" },
            ...asked.response.messages,
            { role: "tool", content: [approval] },
          ],
          tools,
          stopWhen: ai.stepCountIs(1),
          ...ofRequest,
        });
        return resultsIn(second);
      };
      expect(await after("ls")).toEqual(["ran ls"]);
      expect(await after("rm -rf /")).toEqual(["Blocked by hook gate: not with rm -rf"]);
      expect((await after("asked"))[0]).toMatch(/^Blocked: a hook changed this call/);
    },
  );

  test("two wraps of one host judge twice, and change nothing more", async () => {
    const twice = withCordon(withCordon({ bash }, session.host), session.host);
    expect((await run(twice, [rm, { tool: "bash", input: { command: "ls" } }])).read).toEqual([
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
