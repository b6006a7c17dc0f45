import type { HookEvent } from "../../src/hook-api.ts";
import { type Sources, scriptedUi, type TestSession } from "../support/session.ts";

export const SEES = ["session", "tool_call", "tool_result", "permission_request", "user_bash"];
/** What a guard of all of them is granted. */
export const GRANT: Exclude<Sources[string], string>["grant"] = {
  capabilities: {
    events: { see: SEES, block: true, guardResult: ["*"], rewriteResult: ["*"], rewriteUserInput: true },
    ui: ["confirm"],
  },
};

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

export const begins = (reason: "start" | "switch" | "clear" | "branch"): HookEvent =>
  ({ type: "session", reason, entries: [], sessionFile: null, previousSessionFile: null }) as HookEvent;

/** A person who answers when the test says so. `asked` comes true with the first question. */
export function person() {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const confirm = async (): Promise<boolean> => {
    asked.resolve();
    await answer.promise;
    return true;
  };
  return {
    asked: asked.promise,
    answer: () => answer.resolve(),
    options: { ui: { ...scriptedUi(), confirm }, hasUI: true },
  };
}
