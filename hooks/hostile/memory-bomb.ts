import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Allocates memory until its process dies. In an agent's own process, it kills the agent. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    if (event.input.command !== "echo build") return;
    const hoard: number[][] = [];
    for (;;) hoard.push(new Array(1_000_000).fill(hoard.length));
  });
}
