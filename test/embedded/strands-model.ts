import { type Message, Model, type ModelStreamEvent } from "@strands-agents/sdk";
import type { ModelCall } from "./rig.ts";

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
