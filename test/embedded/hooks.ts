import { on, onToolCall } from "../support/session.ts";

/** A hook that hears all, may block, and may do this. */
export const granted = (source: string, more: object = {}) => ({
  source,
  grant: { capabilities: { events: { see: ["*"], block: true, ...more } } },
});

/** Blocks what has `rm -rf` in it. */
export const GATE = onToolCall(
  `if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`,
);

/** Takes a password out of results. */
export const REDACT = granted(
  on(
    "tool_result",
    `const content = event.content.map((one) => ({ ...one, text: one.text.replaceAll("hunter2", "***") }));
     if (JSON.stringify(content) !== JSON.stringify(event.content)) return { content };`,
  ),
  { rewriteResult: ["*"] },
);

/** Runs `rewritten` for `asked`. */
export const REWRITE = granted(onToolCall(`if (event.input.command === "asked") event.input.command = "rewritten";`), {
  rewriteInput: ["*"],
});
