import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Takes what looks like a credential out of every tool result before the model reads it. */
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
