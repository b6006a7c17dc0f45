import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const MAX = Number.parseInt(process.env.PI_AUTO_CONTINUE ?? "2", 10);

/** Sends the agent back to work when its answer was cut off. */
export default function (pi: HookAPI) {
  let continued = 0;

  pi.on("agent_end", async (event, ctx) => {
    const last = event.messages.at(-1);
    if (last?.role !== "assistant" || last.stopReason !== "length") {
      continued = 0;
      return;
    }
    if (continued++ >= MAX) {
      ctx.ui.notify("The answer was cut off again; not continued", "warning");
      return;
    }
    console.log(`continuing (${continued}/${MAX})`);
    pi.send("Please continue where you stopped.");
  });
}
