import { join } from "node:path";
import { NOTE_S, type Setup, WAIT_S } from "./setup.ts";

export const cursor: Setup = {
  name: "cursor",
  title: "Cursor",
  program: "cursor",
  folder: ({ user }) => join(user, ".cursor"),
  user: ({ user }, command) => {
    const entry = (event: string, kind: "gate" | "note") => ({
      path: ["hooks", event],
      value: {
        command: command(kind, event, (kind === "gate" ? WAIT_S : NOTE_S) * 1000),
        timeout: kind === "gate" ? WAIT_S : NOTE_S,
        ...(kind === "gate" ? { failClosed: true } : {}),
      },
    });
    const notes = ["postToolUse", "beforeSubmitPrompt", "sessionStart", "sessionEnd", "stop"];
    return [
      {
        kind: "entries",
        file: join(user, ".cursor", "hooks.json"),
        base: { version: 1 },
        entries: [entry("preToolUse", "gate"), ...notes.map((event) => entry(event, "note"))],
      },
    ];
  },
};
