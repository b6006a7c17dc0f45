interface Part {
  type: string;
  text?: string;
  name?: string;
  arguments?: Record<string, unknown>;
}

interface Message {
  role: string;
  content?: string | readonly Part[];
}

/** Longest result of a tool, as in pi. */
const MAX_RESULT = 2000;

/** A conversation as one text, for a model that summarizes it: in pi's form, and with the same limits. */
export const serializeConversation = (messages: readonly Message[]): string => messages.flatMap(inWords).join("\n\n");

function inWords({ role, content = [] }: Message): string[] {
  const parts: readonly Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
  const labelled = (label: string, text: string): string[] => (text === "" ? [] : [`[${label}]: ${text}`]);
  switch (role) {
    case "user":
      return labelled("User", texts.join(""));
    case "toolResult":
      return labelled("Tool result", shortened(texts.join("")));
    case "assistant": {
      const calls = parts.flatMap((part) => (part.type === "toolCall" ? [callInWords(part)] : []));
      const said = texts.length > 0 ? [`[Assistant]: ${texts.join("\n")}`] : [];
      return [...said, ...labelled("Assistant tool calls", calls.join("; "))];
    }
    default:
      return [];
  }
}

function callInWords({ name, arguments: given = {} }: Part): string {
  const shown = Object.entries(given).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}(${shown.join(", ")})`;
}

const shortened = (text: string): string =>
  text.length <= MAX_RESULT
    ? text
    : `${text.slice(0, MAX_RESULT)}\n\n[... ${text.length - MAX_RESULT} more characters truncated]`;
