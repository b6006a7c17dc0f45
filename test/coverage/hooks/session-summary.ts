import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** A page about each session, by project. */
export default function (pi: HookAPI) {
  const dir = process.env.PI_SUMMARY_DIR ?? join(homedir(), ".local", "state", "pi-summaries");

  pi.on("session", async (event, ctx) => {
    if (event.reason !== "shutdown") return;
    let branch = "no repository";
    try {
      branch = execFileSync("git", ["branch", "--show-current"], { cwd: ctx.cwd, encoding: "utf8" }).trim();
    } catch {
      // Not every project is one.
    }
    const messages = event.entries.filter((entry) => entry.type === "message").length;
    mkdirSync(dir, { recursive: true });
    const page = [`# ${basename(ctx.cwd)}`, `branch: ${branch}`, `messages: ${messages}`, ""].join("\n");
    writeFileSync(join(dir, `${basename(ctx.cwd)}.md`), page);
  });
}
