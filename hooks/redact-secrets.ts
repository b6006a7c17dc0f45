import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Removes text that looks like a credential from tool results before the model reads them. */
const SECRETS = [
  /\b(?:sk|ghp|xox[bp]|AKIA)[-_A-Za-z0-9]{12,}/g,
  /((?:api[_-]?key|token|password|secret)\s*[=:]\s*)\S+/gi,
];

export default function (pi: HookAPI) {
  pi.on("tool_result", async (event) => {
    let found = false;
    const content = event.content.map((item) => {
      if (item.type !== "text") return item;
      const text = SECRETS.reduce(
        (rest, pattern) => rest.replace(pattern, (_match, name) => `${typeof name === "string" ? name : ""}[redacted]`),
        item.text,
      );
      found ||= text !== item.text;
      return { ...item, text };
    });
    return found ? { content } : undefined;
  });
}
