import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Warns when a second agent is started on one repository. */
export default function (pi: HookAPI) {
  const me = randomUUID();
  let lock = "";

  pi.on("session", async (event, ctx) => {
    if (event.reason === "start") {
      const root = execFileSync("git", ["rev-parse", "--show-toplevel"], { cwd: ctx.cwd, encoding: "utf8" }).trim();
      lock = join(tmpdir(), `pi-${createHash("md5").update(root).digest("hex").slice(0, 12)}.lock`);
      try {
        writeFileSync(lock, me, { flag: "wx" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        ctx.ui.notify("Another agent works on this repository", "warning");
      }
    }
    if (event.reason === "shutdown" && lock && readFileSync(lock, "utf8") === me) unlinkSync(lock);
  });
}
