import { join } from "node:path";
import { NOTE_S, type Setup, WAIT_MS } from "./setup.ts";

export const windsurf: Setup = {
  name: "windsurf",
  title: "Windsurf",
  program: "windsurf",
  folder: ({ user }) => join(user, ".codeium", "windsurf"),
  user: (places, command) => [
    {
      kind: "entries",
      file: join(windsurf.folder(places), "hooks.json"),
      entries: [
        ...["pre_run_command", "pre_read_code", "pre_write_code", "pre_mcp_tool_use"].map((event) => ({
          path: ["hooks", event],
          value: { command: command("gate", event, WAIT_MS), show_output: true },
        })),
        ...["post_run_command", "post_mcp_tool_use", "pre_user_prompt"].map((event) => ({
          path: ["hooks", event],
          value: { command: command("note", event, NOTE_S * 1000) },
        })),
      ],
    },
  ],
};
