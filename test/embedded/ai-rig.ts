import { withCordon } from "../../src/agents/ai/index.ts";
import { aiModel, resultsIn, VERSIONS } from "./ai-model.ts";
import { type Rig, TOOLS } from "./rig.ts";

/** `generateText` of each version of the AI SDK. */
export const aiRigs: Rig[] = VERSIONS.map(({ name, ai, Mock }) => ({
  name,
  runsOthers: true,
  async run(host, { calls, execute, signal, toolNames }) {
    const inputSchema = ai.jsonSchema<Record<string, unknown>>({ type: "object" });
    const tools = Object.fromEntries(
      TOOLS.map((tool) => [
        tool,
        ai.tool({ inputSchema, execute: (input, { abortSignal }) => execute(tool, input, abortSignal) }),
      ]),
    );
    const scripted = aiModel(Mock, calls);
    await ai.generateText({
      model: scripted.model,
      prompt: "go",
      tools: withCordon(tools, host, { ...(toolNames ? { toolNames } : {}) }),
      stopWhen: ai.stepCountIs(5),
      maxRetries: 0,
      ...(signal ? { abortSignal: signal } : {}),
    });
    return resultsIn(scripted);
  },
}));
