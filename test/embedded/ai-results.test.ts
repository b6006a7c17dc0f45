import { describe, expect, test } from "vitest";
import { withCordon } from "../../src/agents/ai/index.ts";
import { sharedSession } from "../support/session.ts";
import { aiModel, resultsIn, VERSIONS } from "./ai-model.ts";
import { aiScene, CHANGED } from "./ai-scene.ts";
import { GATE, REDACT, REWRITE } from "./hooks.ts";

describe.each(VERSIONS)("$name", (version) => {
  const { name, ai, Mock } = version;
  const session = sharedSession({ gate: GATE, redact: REDACT, rewrite: REWRITE });
  const deaf = sharedSession({ gate: GATE });
  const { inputSchema, ran, bash, read } = aiScene(version, session);

  const OUTPUTS: [what: string, output: () => unknown, shown: string | RegExp][] = [
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

  test.each(OUTPUTS)("of a result with %s the model reads what hooks saw, or nothing", async (_what, output, shown) => {
    const gives = ai.tool({ inputSchema, execute: async () => output() });
    const got = await read({ gives }, [{ tool: "gives", input: {} }]);
    if (shown instanceof RegExp) expect(got[0]).toMatch(shown);
    else expect(got).toEqual([shown]);
  });

  test("a tool's own conversion for the model gets its own results, and none that hooks changed", async () => {
    const converts = ai.tool({
      inputSchema,
      execute: async (input) => ({ words: input.command }),
      toModelOutput: ({ output }) => ({ type: "text", value: `<${output.words}>` }),
    });
    const call = (command: string) => [{ tool: "converts", input: { command } }];
    expect(await read({ converts }, call("plain"))).toEqual(["<plain>"]);
    expect(await read({ converts }, call("hunter2"))).toEqual([`${CHANGED}{"words":"***"}`]);
  });

  test.each(["hears results", "hears none"])(
    "where a hook %s, no result looks to a tool like one that hooks changed",
    async (heard) => {
      const says = async (input: { command?: string }) => String(input.command);
      const whole = ai.tool({
        inputSchema,
        execute: says,
        toModelOutput: ({ output }) => ({ type: "text", value: `<${output}>` }),
      });
      const parts = ai.tool({
        inputSchema,
        async *execute(input) {
          yield await says(input);
        },
        toModelOutput: ({ output }) => ({ type: "text", value: `<${output}>` }),
      });
      const host = (heard === "hears results" ? session : deaf).host;
      for (const command of [`${CHANGED}x`, "[Changed by hook ", "plain"])
        for (const tool of ["whole", "parts"])
          expect(await read({ whole, parts }, [{ tool, input: { command } }], host)).toEqual([
            `<${command === "plain" ? "" : " "}${command}>`,
          ]);
    },
  );

  test("an error of a tool is shown to hooks, and the model reads what they leave", async () => {
    const fails = ai.tool({
      inputSchema,
      execute: async (): Promise<string> => {
        throw new Error("no hunter2");
      },
    });
    expect(await read({ fails }, [{ tool: "fails", input: {} }])).toEqual([`${CHANGED}no ***`]);
  });

  test("an input that hooks changed does not run where a person approves inputs", async () => {
    const asked = { tool: "bash", input: { command: "asked" } };
    const unasked = await read(
      { bash: { ...bash, needsApproval: async ({ command }: { command?: string }) => command === "rewritten" } },
      [asked],
    );
    expect(unasked[0]).toMatch(/^Blocked: a hook changed this call, which takes a person's approval/);
    expect(ran).toEqual([]);
    const free = await read({ bash: { ...bash, needsApproval: async () => false } }, [asked]);
    expect(free).toEqual(["ran rewritten"]);
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
});
