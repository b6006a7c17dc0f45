import type { HookHost } from "../../host/host.ts";
import { TurnEvents } from "../turn-events.ts";

/** The parts of a step of the AI SDK that hooks hear. */
interface Step {
  content?: readonly { type?: string }[];
  response?: { messages?: readonly unknown[] };
}

/** Callbacks under the names that `ai` 6 and 7 both take. */
export interface AgentCallbacks {
  experimental_onStart(): Promise<void>;
  experimental_onStepStart(): Promise<void>;
  onStepFinish(step: Step): Promise<void>;
  onFinish(end: Step): Promise<void>;
}

/**
 * Callbacks for one run of an agent, which tell hooks `agent_start`, `turn_start`, `turn_end` and `agent_end`:
 * `generateText({ ...agentCallbacks(host), tools: withCordon(tools, host) })`.
 */
export function agentCallbacks(host: HookHost): AgentCallbacks {
  const events = new TurnEvents(host);
  let turn = 0;
  return {
    experimental_onStart: () => {
      turn = 0;
      return events.agentStart();
    },
    experimental_onStepStart: () => events.turnStart(turn),
    onStepFinish: ({ content = [], response }) => {
      const results = content.filter(({ type }) => type === "tool-result" || type === "tool-error");
      return events.turnEnd(turn++, response?.messages?.at(0), results);
    },
    onFinish: ({ response }) => events.agentEnd(response?.messages ?? []),
  };
}
