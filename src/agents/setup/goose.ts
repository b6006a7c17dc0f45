import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";

export const goose: Setup = {
  name: "goose",
  title: "Goose",
  program: "goose",
  folder: ({ user }) => join(user, ".config", "goose"),
  user: ({ user }, command) => {
    const shape = {
      gates: ["PreToolUse"],
      notes: ["PostToolUse", "SessionStart", "SessionEnd"],
      closed: { on_failure: "block" },
    };
    const hooks = Object.fromEntries(claudeLike(command, shape).map(({ path, value }) => [path[1], [value]]));
    const file = join(user, ".agents", "plugins", "cordon", "hooks", "hooks.json");
    return [{ kind: "file", file, content: `${JSON.stringify({ hooks }, null, 2)}\n`, mode: 0o600 }];
  },
};
