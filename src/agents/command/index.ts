import { openclaw } from "../openclaw/spoken.ts";
import { opencode } from "../opencode/spoken.ts";
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
import { qwenCode } from "./qwen-code.ts";
import type { CommandAgent } from "./spoken.ts";
import { windsurf } from "./windsurf.ts";

/** The agents whose events the daemon judges: all run a command for each, but OpenClaw and opencode, whose plugins ask it. */
export const COMMAND_AGENTS: readonly CommandAgent[] = [
  claudeCode,
  codex,
  geminiCli,
  cursor,
  copilotCli,
  qwenCode,
  goose,
  factory,
  kiro,
  windsurf,
  cline,
  antigravity,
  openclaw,
  opencode,
];

export const commandAgent = (name: string): CommandAgent | undefined =>
  COMMAND_AGENTS.find((agent) => agent.name === name);
