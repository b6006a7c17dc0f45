import { Agent, type JSONValue, type Message, Model, type ModelStreamEvent, tool } from "@strands-agents/sdk";
import { cordon } from "../../src/agents/strands/index.ts";
import { type ModelCall, type Rig, TOOLS } from "./rig.ts";

/** A model that makes these calls, and then says `done`. */
export class ScriptedModel extends Model {
  readonly asked: Message[][] = [];
  readonly #turns: ModelCall[][];

  constructor(...turns: (readonly ModelCall[])[]) {
    super();
    this.#turns = turns.map((calls) => [...calls]);
  }

  override updateConfig(): void {}

  override getConfig(): { modelId: string } {
    return { modelId: "scripted" };
  }

  override async *stream(messages: Message[]): AsyncIterable<ModelStreamEvent> {
    this.asked.push([...messages]);
    const calls = this.#turns.shift() ?? [];
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const [at, { tool: name, input }] of calls.entries()) {
      const start = { type: "toolUseStart", name, toolUseId: `call-${at + 1}` } as const;
      yield { type: "modelContentBlockStartEvent", start };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "toolUseInputDelta", input: JSON.stringify(input) } };
      yield { type: "modelContentBlockStopEvent" };
    }
    if (calls.length === 0) {
      yield { type: "modelContentBlockStartEvent" };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text: "done" } };
      yield { type: "modelContentBlockStopEvent" };
    }
    yield { type: "modelMessageStopEvent", stopReason: calls.length === 0 ? "endTurn" : "toolUse" };
  }

  /** The results that the model read last. */
  get read(): string[] {
    const blocks = (this.asked.at(-1) ?? []).flatMap(({ content }) => content);
    return blocks.flatMap((block) =>
      block.type === "toolResultBlock"
        ? [block.content.map((part) => ("text" in part ? part.text : JSON.stringify(part))).join("\n")]
        : [],
    );
  }
}

export const strandsRig: Rig = {
  name: "Strands",
  runsOthers: true,
  async run(host, { calls, execute, signal, toolNames }) {
    const model = new ScriptedModel(calls);
    const tools = TOOLS.map((name) =>
      tool({
        name,
        description: `The tool ${name}.`,
        inputSchema: { type: "object" },
        callback: async (input, context) => (await execute(name, input, context?.cancelSignal)) as JSONValue,
      }),
    );
    const plugins = [cordon(host, toolNames ? { toolNames } : {})];
    const agent = new Agent({ model, tools, plugins, printer: false, toolExecutor: "concurrent" });
    const result = await agent.invoke("go", signal ? { cancelSignal: signal } : {});
    if (result.stopReason === "cancelled") throw new Error("cancelled");
    return model.read;
  },
};
