import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Allocates memory until its process dies. In an agent's own process, it kills the agent. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    if (!String(event.input.command).includes("build")) return;
    const hoard = new Map<number, string>();
    for (let at = 0; ; at++) hoard.set(at, `${at}`.padStart(1000));
  });
}
