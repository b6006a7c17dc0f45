import { claudeShaped } from "./claude-shaped.ts";
import type { CommandAgent } from "./spoken.ts";

const SHELL = { tool: "bash", fields: {} };

/** Kiro. Its events name no session, so each of its processes is one; it takes nothing but a pass or a block. */
export const kiro: CommandAgent = claudeShaped({
  name: "kiro",
  title: "Kiro",
  asks: false,
  rewrites: undefined,
  replacesResults: false,
  tools: {
    execute_bash: SHELL,
    shell: SHELL,
    fs_read: { tool: "read", fields: {} },
    fs_write: { tool: "write", fields: {} },
  },
  events: { preToolUse: "call", postToolUse: "result", userPromptSubmit: "prompt", agentSpawn: "start", stop: "stop" },
  answer: () => ({}),
});
