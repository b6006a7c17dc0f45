import * as ai7 from "ai";
import * as ai7Test from "ai/test";

/** What a model of the SDK's tests said, and was asked. */
export interface AiModel {
  model: ai7Test.MockLanguageModelV3;
  /** The prompt of each request. */
  prompts: readonly { role: string; content: unknown }[][];
}

type Streamed = Awaited<ReturnType<ai7Test.MockLanguageModelV3["doStream"]>>["stream"];
type Part = Streamed extends ReadableStream<infer One> ? One : never;

const NONE = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const usage = { inputTokens: NONE, outputTokens: { ...NONE, text: undefined, reasoning: undefined } };

/** A model that makes these calls, and then says `done`. */
export function aiModel(
  Mock: typeof ai7Test.MockLanguageModelV3,
  calls: readonly { tool: string; input: unknown }[],
): AiModel {
  const prompts: { role: string; content: unknown }[][] = [];
  const asked = calls.map(({ tool, input }, at) => ({
    type: "tool-call" as const,
    toolCallId: `call-${at + 1}`,
    toolName: tool,
    input: JSON.stringify(input),
  }));
  const answer = (prompt: { role: string; content: unknown }[]) => {
    prompts.push(prompt);
    const isLast = prompts.length > 1;
    const content: ((typeof asked)[number] | { type: "text"; text: string })[] = isLast
      ? [{ type: "text", text: "done" }]
      : asked;
    const unified = isLast ? ("stop" as const) : ("tool-calls" as const);
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  };
  const model = new Mock({
    doGenerate: async ({ prompt }) => answer(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason } = answer(prompt);
      const chunks: Part[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap((part): Part[] =>
          part.type === "tool-call"
            ? [part]
            : [
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: part.text },
                { type: "text-end", id: "1" },
              ],
        ),
        { type: "finish", finishReason, usage },
      ];
      return { stream: ai7.simulateReadableStream({ chunks }) };
    },
  });
  return { model, prompts };
}

/** The results that the model read last, by id of the call. */
export function resultsIn({ prompts }: AiModel): string[] {
  const parts = (prompts.at(-1) ?? []).flatMap(({ role, content }) =>
    role === "tool" ? (content as { toolCallId: string; output: { value: unknown } }[]) : [],
  );
  return parts
    .sort((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1))
    .map(({ output: { value } }) => (typeof value === "string" ? value : JSON.stringify(value)));
}

/** What tests use of the two versions has one shape. */
const SIX: string = "ai-6";
const ai6: typeof ai7 = await import(SIX);
const ai6Test: typeof ai7Test = await import(`${SIX}/test`);

export const VERSIONS = [
  { name: "ai 7", ai: ai7, Mock: ai7Test.MockLanguageModelV3 },
  { name: "ai 6", ai: ai6, Mock: ai6Test.MockLanguageModelV3 },
];
