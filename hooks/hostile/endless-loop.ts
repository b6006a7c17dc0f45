import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Blocks its thread forever. In an agent's own process, only SIGKILL helps. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    if (event.input.command === "echo deploy") for (;;);
  });
}
