import { antigravity } from "./antigravity.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { cursor } from "./cursor.ts";
import { factory } from "./factory.ts";
import { geminiCli } from "./gemini-cli.ts";
import { goose } from "./goose.ts";
import { kiro } from "./kiro.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { piHooks } from "./pi-hooks.ts";
import { qwenCode } from "./qwen-code.ts";
import type { Setup } from "./setup.ts";
import { windsurf } from "./windsurf.ts";

/** The agents that `cordon install` knows. */
export const SETUPS: readonly Setup[] = [
  pi,
  piHooks,
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  cursor,
  copilotCli,
  goose,
  factory,
  kiro,
  windsurf,
  cline,
  antigravity,
  openclaw,
  opencode,
];

/** The setups of one agent: of a name, and those of other versions of it. */
export const setupsOf = (name: string): Setup[] => SETUPS.filter((one) => one.name === name || one.until?.use === name);
