import { withCordon } from "../../src/agents/ai/index.ts";
import type { TestSession } from "../support/session.ts";
import { aiModel, resultsIn, type VERSIONS } from "./ai-model.ts";

/** Begins each result that the hook `redact` changed. */
export const CHANGED = "[Changed by hook redact]\n";

export const RM = { tool: "bash", input: { command: "rm -rf /" } };

/** A tool of this version of the SDK, and runs of an agent with tools that the session's hooks guard. */
export function aiScene({ ai, Mock }: (typeof VERSIONS)[number], session: Pick<TestSession, "host">) {
  const inputSchema = ai.jsonSchema<{ command?: string }>({ type: "object" });
  const ran: unknown[] = [];
  const bash = ai.tool({
    inputSchema,
    execute: async (input) => {
      ran.push(input);
      return `ran ${input.command}`;
    },
  });
  type Tools = NonNullable<Parameters<typeof ai.generateText>[0]["tools"]>;

  /** What the model read of these calls. */
  async function read(tools: Tools, calls: { tool: string; input: object }[], host = session.host): Promise<string[]> {
    ran.length = 0;
    const scripted = aiModel(Mock, calls);
    const wrapped = withCordon(tools, host);
    await ai.generateText({ model: scripted.model, prompt: "go", tools: wrapped, stopWhen: ai.stepCountIs(3) });
    return resultsIn(scripted);
  }
  return { inputSchema, ran, bash, read };
}
