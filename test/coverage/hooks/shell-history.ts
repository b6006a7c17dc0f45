import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** The agent's commands beside one's own, without repeating the last one. */
export default function (pi: HookAPI) {
  const file = process.env.PI_HISTFILE ?? path.join(os.homedir(), ".pi_history");

  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command).replaceAll("\n", "; ");
    await new Promise<void>((done) => {
      fs.readFile(file, "utf8", (missing, before) => {
        const lines = missing ? [] : before.trimEnd().split(os.EOL);
        if (lines.at(-1) === command) return done();
        fs.appendFile(file, command + os.EOL, (error) => {
          if (error) console.error(error.message);
          done();
        });
      });
    });
    return undefined;
  });
}
