import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";

const CLAUDE = {
  gates: ["PreToolUse", "PermissionRequest"],
  notes: [
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Notification",
    "WorktreeRemove",
  ],
  matched: ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"],
  closed: { onFailure: "block" },
};

export const claudeCode: Setup = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  since: {
    version: "2.1.295",
    lacks: "its switch `onFailure`: a hook command that cannot start or is too late lets the call pass",
  },
  folder: ({ user, env }) => env.CLAUDE_CONFIG_DIR ?? join(user, ".claude"),
  user: (places, command) => [
    { kind: "entries", file: join(claudeCode.folder(places), "settings.json"), entries: claudeLike(command, CLAUDE) },
  ],
  project: (folder, command) => [
    { kind: "entries", file: join(folder, ".claude", "settings.local.json"), entries: claudeLike(command, CLAUDE) },
  ],
};
