import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

function check(file: string): Promise<string> {
  return new Promise((done) => {
    const child = spawn("node", ["--check", file]);
    const timer = setTimeout(() => child.kill(), 10_000);
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    child.on("error", (error) => done(error.message));
    child.on("close", (code) => {
      clearTimeout(timer);
      done(code === 0 ? "" : said);
    });
  });
}

/** The agent hears at once of JavaScript that does not parse. */
export default function (pi: HookAPI) {
  pi.on("tool_result", async (event, ctx) => {
    const file = resolve(ctx.cwd, String(event.input.path));
    if (event.toolName !== "write" || ![".js", ".mjs", ".cjs"].includes(extname(file))) return undefined;
    if (!existsSync(file)) return undefined;
    const problem = /^\w*Error: .*/m.exec(await check(file))?.[0];
    return problem ? { content: [...event.content, { type: "text", text: `node --check: ${problem}` }] } : undefined;
  });
}
