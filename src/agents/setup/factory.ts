import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";

export const factory: Setup = {
  name: "factory",
  title: "Factory",
  program: "droid",
  folder: ({ user }) => join(user, ".factory"),
  user: ({ user }, command) => [
    {
      kind: "entries",
      file: join(user, ".factory", "hooks.json"),
      entries: claudeLike(command, {
        gates: ["PreToolUse"],
        notes: [
          "PostToolUse",
          "UserPromptSubmit",
          "SessionStart",
          "SessionEnd",
          "Stop",
          "SubagentStop",
          "PreCompact",
          "Notification",
        ],
        matched: ["PreToolUse", "PostToolUse"],
      }),
    },
  ],
};
