import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import { GEMINI_SWITCHES, geminiFiles } from "./gemini-like.ts";
import type { Setup } from "./setup.ts";
import { switchedOff } from "./switches.ts";

/** It counts milliseconds. */
export const geminiCli: Setup = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  folder: ({ user }) => join(user, ".gemini"),
  user: ({ user }, command) => [
    {
      kind: "entries",
      file: join(user, ".gemini", "settings.json"),
      entries: claudeLike(command, {
        gates: ["BeforeTool"],
        notes: ["AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd", "PreCompress", "Notification"],
        matched: ["BeforeTool", "AfterTool"],
        unitsPerSecond: 1000,
      }),
    },
  ],
  openIn: (folders, places) => switchedOff("Gemini CLI", geminiFiles("gemini-cli", folders, places), GEMINI_SWITCHES),
};
