import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent, fakeModel, tool } from "langchain";
import { cordon } from "../../src/agents/langchain/index.ts";
import { type Rig, TOOLS, textOf } from "./rig.ts";

export const langchainRig: Rig = {
  name: "LangChain",
  runsOthers: false,
  async run(host, { calls, execute, signal, toolNames }) {
    const tools = TOOLS.map((name) =>
      tool(async (input: unknown, config: { signal?: AbortSignal }) => execute(name, input, config.signal) as string, {
        name,
        description: `The tool ${name}.`,
        schema: { type: "object", properties: {}, additionalProperties: true } as const,
      }),
    );
    const model = fakeModel()
      .respondWithTools(calls.map(({ tool: name, input }, at) => ({ name, args: input, id: `call-${at + 1}` })))
      .respond(new AIMessage("done"));
    const agent = createAgent({ model, tools, middleware: [cordon(host, toolNames ? { toolNames } : {})] });
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, signal ? { signal } : {});
    const read = (model.calls.at(-1)?.messages ?? []) as BaseMessage[];
    return read.filter((message) => message.type === "tool").map(({ content }) => textOf(content));
  },
};
