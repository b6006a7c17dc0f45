import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../../base/attempt.ts";
import { claudeLike } from "./claude-like.ts";
import { codexOff } from "./codex-off.ts";
import type { Setup } from "./setup.ts";
import { filesUp } from "./switches.ts";

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
  openIn(folders, places) {
    const own = codex.folder(places);
    const names = attemptOr(() => readdirSync(own), []).filter((name) => name.endsWith(".toml"));
    const system = ["config.toml", "managed_config.toml", "requirements.toml"].map((name) => join("/etc/codex", name));
    const files = [
      ...names.map((name) => join(own, name)),
      ...filesUp(folders, join(".codex", "config.toml")),
      ...system,
    ];
    return codexOff(files, join(own, "hooks.json"));
  },
  unseen: "start codex, open /hooks, and trust Cordon's entries: until then codex runs none of them",
};
