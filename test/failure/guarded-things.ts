import type { TestSession } from "../support/session.ts";

/** What a guard may refuse or change, each as an agent asks about it. */
export const ASKS = {
  "a call": ({ call }: TestSession) => call("rm"),
  "a result": ({ host }: TestSession) =>
    host.emit({
      ...{ type: "tool_result", toolName: "bash", toolCallId: "1", input: {}, isError: false },
      content: [{ type: "text", text: "key=SECRET" }],
    }),
  "a permission": ({ host }: TestSession) =>
    host.emit({ type: "permission_request", toolName: "bash", input: { command: "rm" } }),
  "a person's command": ({ host }: TestSession) =>
    host.emit({ type: "user_bash", command: "rm", excludeFromContext: false, cwd: "/" }),
} as const;
