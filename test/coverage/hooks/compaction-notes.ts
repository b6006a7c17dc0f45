import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Compacts to a list of what the user asked for; without a key for the session's model pi's own way is left. */
export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    if (event.reason !== "before_compact") return undefined;
    const key = await event.resolveApiKey(event.model);
    if (!key) {
      ctx.ui.notify(`No API key for ${event.model.provider}`, "warning");
      return undefined;
    }
    const asked = event.messagesToSummarize
      .filter((message) => message.role === "user")
      .map(
        ({ content }) =>
          `- ${typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join(" ")}`,
      );
    return {
      compactionEntry: {
        type: "compaction" as const,
        timestamp: new Date().toISOString(),
        summary: `The user asked for:\n${asked.join("\n")}`,
        firstKeptEntryIndex: structuredClone(event.cutPoint).firstKeptEntryIndex,
        tokensBefore: event.tokensBefore,
      },
    };
  });
}
