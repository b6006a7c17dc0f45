import { normalize } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Keeps the agent's file tools from writing to secrets, git's own files and installed packages. */
const PROTECTED = [/(^|\/)\.env(\.|$)/, /(^|\/)\.git(\/|$)/, /(^|\/)node_modules(\/|$)/];

export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "write" && event.toolName !== "edit") return undefined;
    const path = normalize(String(event.input.path));
    if (!PROTECTED.some((pattern) => pattern.test(path))) return undefined;
    ctx.ui.notify(`Kept the agent from writing ${path}`, "warning");
    return { block: true, reason: `Path "${path}" is protected` };
  });
}
