import { join } from "node:path";
import { NOTE_S, type Setup } from "./setup.ts";
import { offUnless, switchedOff } from "./switches.ts";

/** Files named by events, which it runs. */
export const cline: Setup = {
  name: "cline",
  title: "Cline",
  program: "cline",
  folder: ({ user }) => join(user, ".cline"),
  user: ({ user }, command) => {
    const file = (name: string, event: string, kind: "gate" | "note") => ({
      kind: "file" as const,
      file: join(user, ".cline", "hooks", name),
      content: `#!/bin/sh\n${command(kind, event, kind === "gate" ? 100_000 : NOTE_S * 1000)}\n`,
      mode: 0o755,
    });
    return [
      file("PreToolUse", "tool_call", "gate"),
      file("PostToolUse", "tool_result", "note"),
      file("UserPromptSubmit", "prompt_submit", "note"),
      file("TaskStart", "agent_start", "note"),
      file("SessionShutdown", "session_shutdown", "note"),
    ];
  },
  openIn: (_folders, { user }) =>
    switchedOff("Cline", [join(user, ".cline", "data", "globalState.json")], [offUnless("hooksEnabled")]),
};
