import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const PER_MINUTE = Number(process.env.PI_BASH_PER_MINUTE ?? 20);

/** A sliding minute of shell commands. */
export default function (pi: HookAPI) {
  let used = 0;

  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash") return undefined;
    if (used >= PER_MINUTE) return { block: true, reason: `More than ${PER_MINUTE} shell commands a minute` };
    used++;
    const timer = setTimeout(() => {
      used--;
    }, 60_000);
    timer.unref();
    return undefined;
  });
}
