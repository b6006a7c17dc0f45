import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";
import { filesUp, offWith, switchedOff } from "./switches.ts";

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
  openIn(folders, { user }) {
    const names = ["hooks.json", "settings.json", "settings.local.json"].map((name) => join(".factory", name));
    const switches = ["hooksDisabled", "disableAllHooks", "allowManagedHooksOnly"].map(offWith);
    return switchedOff("Factory", filesUp([user, ...folders], ...names), switches);
  },
};
