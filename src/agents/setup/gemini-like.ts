import { join } from "node:path";
import type { UserPlaces } from "./setup.ts";
import { filesUp, offIn, offUnless, systemFolder } from "./switches.ts";

/** Where Gemini CLI, and Qwen Code, which came from it, have their settings. */
const PLACES = {
  "gemini-cli": { folder: ".gemini", system: systemFolder("gemini-cli", "GeminiCli"), variable: "GEMINI_CLI_SYSTEM" },
  "qwen-code": { folder: ".qwen", system: systemFolder("qwen-code", "QwenCode"), variable: "QWEN_CODE_SYSTEM" },
};

/** All files with settings of one of them: the person's, those of projects, and the machine's. */
export function geminiFiles(
  name: keyof typeof PLACES,
  folders: readonly string[],
  { user, env }: UserPlaces,
): readonly string[] {
  const { folder, system, variable } = PLACES[name];
  return [
    ...filesUp([user, ...folders], join(folder, "settings.json")),
    env[`${variable}_SETTINGS_PATH`] ?? join(system, "settings.json"),
    env[`${variable}_DEFAULTS_PATH`] ?? join(system, "system-defaults.json"),
  ];
}

/** Those of today, and those of older versions. */
export const GEMINI_SWITCHES = [
  offUnless("hooksConfig.enabled"),
  offIn("hooksConfig.disabled"),
  offUnless("hooks.enabled"),
  offIn("hooks.disabled"),
  offUnless("tools.enableHooks"),
];
