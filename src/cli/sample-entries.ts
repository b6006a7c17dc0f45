import { SAMPLE_MESSAGE } from "../host/sample-events.ts";

export const USER = { role: "user", content: [{ type: "text", text: "please do" }], timestamp: 1 };
const CALLS = [
  { type: "toolCall", id: "sample-call", name: "bash", arguments: { command: "ls" } },
  { type: "toolCall", id: "sample-edit", name: "edit", arguments: { path: "sample.ts", edits: [] } },
];
const CALLED = { ...SAMPLE_MESSAGE, content: CALLS, stopReason: "toolUse" };
const RESULT = {
  role: "toolResult",
  toolCallId: "sample-call",
  toolName: "bash",
  content: [{ type: "text", text: "sample" }],
  isError: false,
  timestamp: 1,
};
const entry = (id: string, parentId: string, message: object) => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-01-01T00:00:00.000Z",
  message,
});
const ENTRIES = [
  {
    type: "model_change",
    id: "sample-0",
    parentId: null,
    timestamp: "2026-01-01T00:00:00.000Z",
    provider: "anthropic",
    modelId: "sample",
  },
  entry("sample-1", "sample-0", USER),
  entry("sample-call", "sample-1", CALLED),
  entry("sample-result", "sample-call", RESULT),
  entry("sample-2", "sample-result", SAMPLE_MESSAGE),
];

const MOST_OWN = 1000;

/** The entries of a session of its own, and what the hook adds to them: it looks for that later. */
export function sampleEntries() {
  const all: { id: string }[] = [...ENTRIES];
  return {
    all,
    append([customType, data]: readonly unknown[]): null {
      const id = `sample-own-${all.length}`;
      const own = {
        type: "custom",
        id,
        parentId: all.at(-1)?.id,
        timestamp: "2026-01-01T00:00:00.000Z",
        customType,
        data,
      };
      if (all.length < MOST_OWN) all.push(own);
      return null;
    },
  };
}
