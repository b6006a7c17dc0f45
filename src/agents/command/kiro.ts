import { claudeShaped } from "./claude-shaped.ts";
import { KIRO_TOOLS } from "./kiro-tools.ts";
import type { CommandAgent } from "./spoken.ts";

/** Kiro. Its events name no session, so each of its processes is one; it takes nothing but a pass or a block. */
export const kiro: CommandAgent = claudeShaped({
  name: "kiro",
  title: "Kiro",
  asks: false,
  rewrites: undefined,
  replacesResults: false,
  tools: KIRO_TOOLS,
  events: { preToolUse: "call", postToolUse: "result", userPromptSubmit: "prompt", agentSpawn: "start", stop: "stop" },
  answer: () => ({}),
});
