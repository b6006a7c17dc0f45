import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Returns a promise that never settles. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    if (event.input.command === "echo test") await new Promise(() => {});
  });
}
