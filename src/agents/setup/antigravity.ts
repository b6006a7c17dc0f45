import { join } from "node:path";
import { type Setup, WAIT_MS, WAIT_S } from "./setup.ts";

export const antigravity: Setup = {
  name: "antigravity",
  title: "Antigravity CLI",
  program: "agy",
  folder: ({ user }) => join(user, ".gemini", "config"),
  user: (places, command) => [
    {
      kind: "entries",
      file: join(antigravity.folder(places), "hooks.json"),
      base: { cordon: { enabled: true } },
      entries: [
        { path: ["cordon", "enabled"], value: true, isValue: true },
        {
          path: ["cordon", "PreToolUse"],
          value: {
            matcher: "*",
            hooks: [{ type: "command", command: command("gate", "PreToolUse", WAIT_MS), timeout: WAIT_S }],
          },
        },
      ],
    },
  ],
};
