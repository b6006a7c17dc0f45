import { join } from "node:path";
import { CLAUDE_EVENTS, claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";

const CLAUDE = { ...CLAUDE_EVENTS, notes: [...CLAUDE_EVENTS.notes, "WorktreeRemove"], closed: { onFailure: "block" } };

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
