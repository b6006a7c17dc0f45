import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../../base/attempt.ts";
import { CLAUDE_EVENTS, claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";
import { filesUp, offWith, shellChanged, switchedOff, systemFolder } from "./switches.ts";

const CLAUDE = { ...CLAUDE_EVENTS, notes: [...CLAUDE_EVENTS.notes, "WorktreeRemove"], closed: { onFailure: "block" } };

const SETTINGS = ["settings.json", "settings.local.json"];

/** Settings of an organisation. */
function managed(): string[] {
  const folder = systemFolder("claude-code", "ClaudeCode");
  const parts = join(folder, "managed-settings.d");
  const names = attemptOr(() => readdirSync(parts), []);
  return [join(folder, "managed-settings.json"), ...names.map((name) => join(parts, name))];
}

const SWITCHES = [
  "disableAllHooks",
  "allowManagedHooksOnly",
  "strictPluginOnlyCustomization",
  "env.CLAUDE_CODE_SIMPLE",
  "env.CLAUDE_CODE_SAFE_MODE",
].map(offWith);

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
  openIn(folders, places) {
    const own = SETTINGS.map((name) => join(claudeCode.folder(places), name));
    const files = [...own, ...filesUp(folders, ...SETTINGS.map((name) => join(".claude", name))), ...managed()];
    return switchedOff("Claude Code", files, SWITCHES) ?? shellChanged("Claude Code", files);
  },
};
