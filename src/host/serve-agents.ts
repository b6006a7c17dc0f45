import { HookBlockedError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import type { ImageContent, TextContent, ToolCallEvent } from "../hook-api.ts";
import type { AgentCall } from "../powers/lent-agents.ts";
import type { AgentGates, OwnAgents } from "../powers/own-agents.ts";
import { reasonOf, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import { isCancelled } from "../verdicts/cancelled.ts";
import type { Dispatcher } from "../verdicts/dispatcher.ts";
import { givenBy } from "../verdicts/result-shape.ts";
import type { ToolCallOutcome } from "../verdicts/tool-call.ts";
import { judgeable } from "./framed.ts";
import { passResult, type ResultGates } from "./pass-result.ts";

/** Most waking time of a tool of the hook's, in ms. */
const RUN_LIMIT_MS = 600_000;

interface Deps {
  readonly host: ResultGates & {
    emitToolCall(event: ToolCallEvent, options: { signal?: AbortSignal }): Promise<ToolCallOutcome>;
  };
  readonly hooks: readonly Hook[];
  readonly dispatcher: Dispatcher;
  readonly reporter: Reporter;
}

interface RunResult {
  content?: (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
}

/** Judges calls of agents that hooks have of their own as any call is judged, and runs their hooks' tools for them. */
export function serveAgents(agents: OwnAgents, { host, hooks, dispatcher, reporter }: Deps): void {
  const audit = (hook: string, { toolName }: AgentCall, outcome: string): boolean =>
    reporter.audit({ hook, capability: "agents.tool", value: cleanLine(toolName, 200), outcome });

  const gates: AgentGates = {
    async judge(hook, call, signal) {
      const blocked = (reason: string): { blocked: string } => {
        audit(hook, call, "block");
        return { blocked: reason };
      };
      try {
        const { toolName, toolCallId } = call;
        const input = judgeable(call.input);
        const event = { type: "tool_call", toolName, toolCallId, input } as const;
        const verdict = await host.emitToolCall(event, signal ? { signal } : {});
        if (verdict && "block" in verdict)
          return blocked(verdict.hook === "" ? byCordon(verdict.reason) : byHook(verdict.hook, verdict.reason));
        if (!audit(hook, call, "allowed")) return blocked(byCordon("the audit log cannot be written"));
        return { input: verdict?.input ?? input };
      } catch (error) {
        return blocked(byCordon(error instanceof HookBlockedError ? error.reason : messageOf(error)));
      }
    },

    pass: (_hook, result) => passResult(host, { type: "tool_result", ...result, input: Object(result.input) }),

    async runTool(id, agent, { toolName, toolCallId, input }, { signal, onUpdate }) {
      const hook = hooks.find((one) => one.id === id);
      if (!hook?.isUp) return failed(`the hook ${cleanLine(id, 200)} does not run`);
      const name = `${agent}:${toolName}`;
      const run = { type: "run", kind: "agentTool", name, toolCallId, params: input } as const;
      const outcome = await dispatcher.run(hook, run, RUN_LIMIT_MS, { signal, onUpdate });
      if (!isCancelled({ reporter }, signal)) reporter.reportOutcome(hook, `tool ${toolName}`, outcome);
      const trouble = troubleOf(outcome);
      if (trouble) return failed(reasonOf(hook, trouble, `run its tool ${cleanLine(toolName, 64)}`));
      const result = givenBy<RunResult>(outcome);
      return {
        content: result?.content ?? [],
        ...(result?.details === undefined ? {} : { details: result.details }),
        isError: result?.isError === true,
      };
    },
  };
  agents.servedBy(gates);
}

const byCordon = (reason: string): string => `Blocked by Cordon: ${reason}`;
const byHook = (hook: string, reason: string): string => `Blocked by hook ${cleanLine(hook, 200)}: ${reason}`;
const failed = (text: string): { content: TextContent[]; isError: true } => ({
  content: [{ type: "text", text }],
  isError: true,
});
