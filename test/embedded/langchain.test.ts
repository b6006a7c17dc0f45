import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command, Send } from "@langchain/langgraph";
import { createAgent, createMiddleware, fakeModel, ToolMessage, tool, toolErrorMiddleware } from "langchain";
import { describe, expect, test } from "vitest";
import { cordon } from "../../src/agents/langchain/index.ts";
import { sharedSession } from "../support/session.ts";
import { GATE, REDACT } from "./hooks.ts";
import { heardIn, ONE_CALL, TURNS } from "./turn-hook.ts";

const schema = { type: "object", properties: {}, additionalProperties: true } as const;

describe("LangChain's agents", () => {
  const session = sharedSession({ gate: GATE, redact: REDACT });
  type Middleware = NonNullable<Parameters<typeof createAgent>[0]["middleware"]>[number];

  /** What the model reads of one call. */
  async function read(
    given: (input: unknown) => unknown,
    command = "ls",
    before: Middleware[] = [],
    after: Middleware[] = [],
  ): Promise<BaseMessage[]> {
    const bash = tool(async (input: unknown) => given(input) as string, { name: "bash", description: "runs", schema });
    const model = fakeModel()
      .respondWithTools([{ name: "bash", args: { command }, id: "call-1" }])
      .respond(new AIMessage("done"));
    const agent = createAgent({ model, tools: [bash], middleware: [...before, cordon(session.host), ...after] });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    return (model.calls.at(-1)?.messages ?? []).filter(({ type }) => type === "tool" || type === "human");
  }
  const text = (messages: BaseMessage[]): unknown => messages.at(-1)?.content;

  /** Middleware around the hooks, which returns `act` of what they let through. */
  const afterHooks = (act: (result: ToolMessage | Command) => ToolMessage | Command): Middleware =>
    createMiddleware({
      name: "AfterHooks",
      wrapToolCall: async (request, handler) => act(await handler(request)),
    });

  test("a block is a tool message with status `error`, under the id of the call", async () => {
    const [, message] = await read(() => "ran", "rm -rf /");
    expect(message).toMatchObject({
      content: "Blocked by hook gate: not with rm -rf",
      status: "error",
      tool_call_id: "call-1",
      name: "bash",
    });
    expect(ToolMessage.isInstance(message)).toBe(true);
  });

  test("a tool's message with parts, and a command that puts messages into the state, are redacted whole", async () => {
    const parts = new ToolMessage({
      content: [
        { type: "text", text: "hunter2" },
        { type: "image_url", image_url: { url: "data:,hunter2" } },
      ],
      tool_call_id: "call-1",
      artifact: "hunter2",
    });
    const changed = '[Changed by hook redact]\n***\n{"type":"image_url","image_url":{"url":"data:,***"}}';
    expect(text(await read(() => parts))).toBe(changed);
    const message = new ToolMessage({ content: "hunter2", tool_call_id: "call-1" });
    const command = new Command({ update: { messages: [message, new HumanMessage("hunter2 again")] } });
    const messages = await read(() => command);
    expect(messages.map(({ content }) => content)).toEqual(["go", "[Changed by hook redact]\n***\n*** again"]);
  });

  const fine = (): ToolMessage => new ToolMessage({ content: "fine", tool_call_id: "call-1" });
  const calling = new AIMessage({
    content: "",
    tool_calls: [{ name: "bash", args: { word: "hunter2" }, id: "call-2" }],
  });
  const update = (messages: unknown): Command => new Command({ update: { messages } });

  // biome-ignore format: a table
  test.each<[what: string, given: () => unknown]>([
    ["a text beside a message", () => update([fine(), "hunter2"])],
    ["a text for a role beside a message", () => update([fine(), ["user", "hunter2"]])],
    ["the calls of a message", () => update([fine(), calling, new ToolMessage({ content: "x", tool_call_id: "call-2" })])],
    ["the first of two lists", () => new Command({ update: [["messages", new HumanMessage("hunter2")], ["messages", fine()]] })],
    ["the second of two lists", () => new Command({ update: [["messages", fine()], ["messages", new HumanMessage("hunter2")]] })],
    ["a member of a text", () => new ToolMessage({ content: [{ type: "text", text: "fine", citation: "hunter2" } as never], tool_call_id: "call-1" })],
    ["a text in a list", () => [fine(), "hunter2"]],
    ["what the next node is handed", () => new Command({ goto: [new Send("model_request", { messages: [new HumanMessage("go"), calling, fine(), new HumanMessage("hunter2")] })] })],
    ["what is handed on beside a message", () => new Command({ update: { messages: [fine()] }, goto: new Send("model_request", { messages: [new HumanMessage("hunter2")] }) })],
    ["another part of the state", () => new Command({ update: { messages: [fine()], notes: "hunter2" } })],
    ["another part of a list of the state", () => new Command({ update: [["messages", fine()], ["notes", "hunter2"]] })],
    ["a command with a content of its own", () => Object.assign(update([fine(), new HumanMessage("hunter2")]), { content: "fine" })],
    ["an answer to a question", () => new Command({ update: { messages: [fine()] }, resume: "hunter2" })],
  ])("no part of what a tool gives passes unseen: %s", async (_what, given) => {
    const messages = await read(given);
    expect(JSON.stringify(messages)).not.toContain("hunter2");
    expect(JSON.stringify(messages)).toContain("Changed by hook redact");
  });

  test("a command that hooks leave as it is does what it says", async () => {
    const message = new ToolMessage({ content: "fine", tool_call_id: "call-1" });
    const command = new Command({ update: { messages: [message, new HumanMessage("go on")] } });
    expect((await read(() => command)).map(({ content }) => content)).toEqual(["go", "fine", "go on"]);
  });

  test("a tool that changes its message after hooks saw it changes nothing", async () => {
    const part = { type: "text" as const, text: "fine" };
    const message = new ToolMessage({ content: [part], tool_call_id: "call-1" });
    const sly = afterHooks((result) => {
      part.text = "hunter2";
      message.content = "hunter2";
      return result;
    });
    const messages = await read(() => message, "ls", [sly]);
    expect(text(messages)).toEqual([{ type: "text", text: "fine" }]);
    expect(ToolMessage.isInstance(messages.at(-1))).toBe(true);
  });

  test("nor does one that changes a message in a command, or what that hands on", async () => {
    const part = { type: "text" as const, text: "fine" };
    const message = new ToolMessage({ content: [part], tool_call_id: "call-1" });
    const data = new Uint8Array([1, 2, 3]);
    const command = new Command({ update: { messages: [message], data }, goto: [] });
    const sly = afterHooks((result) => {
      part.text = "hunter2";
      message.content = "hunter2";
      data[0] = 9;
      const { update } = result as Command;
      expect((update as { data: Uint8Array }).data).toEqual(new Uint8Array([1, 2, 3]));
      return new Command({ update: { messages: (update as { messages: BaseMessage[] }).messages } });
    });
    expect(text(await read(() => command, "ls", [sly]))).toEqual([{ type: "text", text: "fine" }]);
  });

  test("what no model reads of a message is the tool's own", async () => {
    class Own {
      #secret = 1;
      get secret(): number {
        return this.#secret;
      }
    }
    const artifact = {
      map: new Map([["f", () => 1]]),
      own: new Own(),
      url: new URL("https://a.example"),
      error: new Error("x"),
    };
    const message = new ToolMessage({ content: "fine", tool_call_id: "call-1", artifact });
    const messages = await read(() => message);
    expect((messages.at(-1) as ToolMessage).artifact).toBe(artifact);
  });

  test("a name that is a prototype's elsewhere is one like any other", async () => {
    const block = JSON.parse('{"type":"document","index":0,"__proto__":{"text":"hunter2"}}');
    const messages = await read(() => new ToolMessage({ content: [block], tool_call_id: "call-1" }));
    expect(JSON.stringify(messages)).not.toContain("hunter2");
    expect((text(messages) as { text?: string }[])[0]?.text).not.toBe("hunter2");
  });

  test("a reply that is nested too deep to be copied is withheld", async () => {
    let nested: unknown = "hunter2";
    for (let depth = 0; depth < 20_000; depth++) nested = [nested];
    const command = new Command({ update: { messages: [fine()], nested } });
    expect(text(await read(() => command))).toMatch(/^Withheld by Cordon: no hook could check this result/);
  });

  test("a result that is no JSON is withheld", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const parts = new ToolMessage({ content: [{ type: "new", circle }], tool_call_id: "call-1" });
    expect(text(await read(() => parts))).toMatch(/^Withheld by Cordon: no hook could check this result/);
  });

  test("a tool that throws: hooks see the error, and `toolErrorMiddleware` before Cordon tells the model", async () => {
    const fails = () => {
      throw new Error("no file");
    };
    await expect(read(fails)).rejects.toThrow("no file");
    expect(text(await read(fails, "ls", [toolErrorMiddleware({ onError: (error) => String(error) })]))).toContain(
      "no file",
    );
    const leaks = () => {
      throw new Error("no hunter2");
    };
    expect(text(await read(leaks))).toBe("[Changed by hook redact]\nno ***");
  });

  test("what middleware before Cordon makes of a call is judged, and its own tools are", async () => {
    const changes = createMiddleware({
      name: "Changes",
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, args: { command: "rm -rf /" } } }),
    });
    expect(text(await read(() => "ran", "ls", [changes]))).toBe("Blocked by hook gate: not with rm -rf");
  });

  test("an input with a getter or toJSON runs nothing of it, and not the tool", async () => {
    let ran = "";
    const sly = createMiddleware({
      name: "Sly",
      wrapToolCall: (request, handler) => {
        const args = {
          get command() {
            ran += "getter";
            return "ls";
          },
        };
        return handler({ ...request, toolCall: { ...request.toolCall, args } });
      },
    });
    const messages = await read(
      () => {
        ran += "tool";
        return "ran";
      },
      "ls",
      [sly],
    );
    expect(text(messages)).toMatch(/^Blocked: the tool's input.command is a getter/);
    expect(ran).toBe("");
  });
});

describe("events of LangChain", () => {
  const session = sharedSession(TURNS);

  test("hooks hear of each run and its turns, also of two at once", async () => {
    const run = async (): Promise<void> => {
      const bash = tool(async () => "ran", { name: "bash", description: "runs", schema });
      const model = fakeModel()
        .respondWithTools([{ name: "bash", args: {}, id: "call-1" }])
        .respond(new AIMessage("done"));
      const agent = createAgent({ model, tools: [bash], middleware: [cordon(session.host)] });
      await agent.invoke({ messages: [new HumanMessage("go")] });
    };
    await run();
    expect(heardIn(session)).toEqual(ONE_CALL);
    session.log.length = 0;
    await Promise.all([run(), run()]);
    const [, ...turns] = ONE_CALL;
    expect(heardIn(session).sort()).toEqual([...turns, ...turns].sort());
  });
});
