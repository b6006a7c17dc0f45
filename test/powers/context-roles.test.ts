import { convertToLlm } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { on, startSession } from "../support/session.ts";

test.each([
  ["user", `{ role: "user", content: "SAID" }`],
  ["user", `{ role: "user", content: [{ type: "text", text: "SAID" }] }`],
  [
    "bashExecution",
    `{ role: "bashExecution", command: "ls", output: "SAID", exitCode: 0, cancelled: false, truncated: false }`,
  ],
  [
    "bashExecution",
    `{ role: "bashExecution", command: "SAID", output: "", exitCode: 0, cancelled: false, truncated: false }`,
  ],
  ["branchSummary", `{ role: "branchSummary", summary: "SAID", fromId: "x" }`],
  ["compactionSummary", `{ role: "compactionSummary", summary: "SAID", tokensBefore: 1 }`],
  ["custom", `{ role: "custom", customType: "note", content: "SAID", display: true }`],
])("what a hook says as %s reaches the model with the hook's name: %s", async (_role, message) => {
  const source = on("context", `return { messages: [...event.messages, { ...${message}, timestamp: 1 }] };`);
  const events = { see: ["context"], rewriteContext: true };
  const { host } = await startSession({
    gate: { source, grant: { capabilities: { events, session: ["messages"] } } },
  });
  const event = { type: "context", messages: [{ role: "user", content: "hello", timestamp: 0 }] } as HookEvent;
  const { messages } = (await host.emit(event)) as { messages: Parameters<typeof convertToLlm>[0] };
  const read = JSON.stringify(convertToLlm(messages.slice(1)));
  expect(read).toMatch(/Message from hook gate \(not from the user\):.*SAID/);
});
