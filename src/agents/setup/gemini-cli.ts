import { join } from "node:path";
import { claudeLike } from "./claude-like.ts";
import type { Setup } from "./setup.ts";

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
};
