import { join } from "node:path";
import { CLAUDE_EVENTS, claudeLike } from "./claude-like.ts";
import { GEMINI_SWITCHES, geminiFiles } from "./gemini-like.ts";
import type { Setup } from "./setup.ts";
import { offWith, switchedOff } from "./switches.ts";

/** It takes a time of 1000 and more for milliseconds, and a smaller one for seconds. */
export const qwenCode: Setup = {
  name: "qwen-code",
  title: "Qwen Code",
  program: "qwen",
  folder: ({ user }) => join(user, ".qwen"),
  user: ({ user }, command) => [
    {
      kind: "entries",
      file: join(user, ".qwen", "settings.json"),
      entries: claudeLike(command, CLAUDE_EVENTS),
    },
  ],
  openIn: (folders, places) =>
    switchedOff("Qwen Code", geminiFiles("qwen-code", folders, places), [
      offWith("disableAllHooks"),
      ...GEMINI_SWITCHES,
    ]),
};
