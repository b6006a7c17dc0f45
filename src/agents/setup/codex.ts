import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";

export const codex: Setup = {
  name: "codex",
  title: "Codex",
  program: "codex",
  folder: ({ user, env }) => env.CODEX_HOME ?? join(user, ".codex"),
  user: (places, command) => [
    {
      kind: "entries",
      file: join(codex.folder(places), "hooks.json"),
      entries: claudeLike(command, {
        gates: ["PreToolUse", "PermissionRequest"],
        notes: [
          "PostToolUse",
          "UserPromptSubmit",
          "SessionStart",
          "Stop",
          "SubagentStart",
          "SubagentStop",
          "PreCompact",
        ],
      }),
    },
  ],
  left: ["start codex, open /hooks, and trust Cordon's entries: until then codex runs none of them"],
};
