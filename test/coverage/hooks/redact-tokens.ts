import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const TOKENS = /\b(?:ghp_[A-Za-z0-9]{16,}|xox[bp]-[\w-]{10,}|AKIA[A-Z0-9]{16})\b/g;

/** Takes tokens out of what tools print. */
export default function (pi: HookAPI) {
  let taken = 0;

  pi.on("tool_result", async (event) => {
    const content = event.content.map((part) => {
      if (part.type !== "text") return part;
      const text = part.text.replace(TOKENS, () => {
        taken++;
        return "[token]";
      });
      return { ...part, text };
    });
    return { content, details: event.details };
  });

  pi.on("agent_end", async (_event, ctx) => {
    if (taken > 0) ctx.ui.notify(`${taken} token(s) kept from the model`, "warning");
    taken = 0;
  });
}
