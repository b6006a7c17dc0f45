import { join } from "node:path";
import { NOTE_S, type Setup, WAIT_S } from "./setup.ts";

/** `cache_ttl_seconds` is left at 0: a decision would be used again for another call. */
export const kiro: Setup = {
  name: "kiro",
  title: "Kiro",
  program: "kiro-cli",
  folder: ({ user }) => join(user, ".kiro"),
  user: ({ user }, command) => {
    const hook = (trigger: string, event: string, kind: "gate" | "note") => ({
      name: `cordon-${event}`,
      trigger,
      ...(kind === "gate" ? { matcher: ".*" } : {}),
      action: { type: "command", command: command(kind, event, (kind === "gate" ? WAIT_S : NOTE_S) * 1000) },
      timeout: kind === "gate" ? WAIT_S : NOTE_S,
      enabled: true,
    });
    const hooks = [
      hook("PreToolUse", "preToolUse", "gate"),
      hook("PostToolUse", "postToolUse", "note"),
      hook("UserPromptSubmit", "userPromptSubmit", "note"),
    ];
    const content = `${JSON.stringify({ version: "v1", hooks }, null, 2)}\n`;
    return [{ kind: "file", file: join(user, ".kiro", "hooks", "cordon.json"), content, mode: 0o600 }];
  },
};
