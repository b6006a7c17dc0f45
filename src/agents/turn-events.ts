import { readJson } from "../../sandbox/wire/read-json.ts";
import type { AgentValue } from "../agent-values.ts";
import type { HookHost } from "../host/host.ts";

/** Tells hooks how far an agent is. What it says of messages is a copy, as JSON; a failure is no agent's concern. */
export class TurnEvents {
  readonly #host: HookHost;

  constructor(host: HookHost) {
    this.#host = host;
  }

  async agentStart(): Promise<void> {
    await this.#host.emit({ type: "agent_start" });
  }

  async agentEnd(messages: readonly unknown[]): Promise<void> {
    if (this.#host.hasHandlers("agent_end"))
      await this.#host.emit({ type: "agent_end", messages: messages.map(copied) });
  }

  async turnStart(turnIndex: number): Promise<void> {
    await this.#host.emit({ type: "turn_start", turnIndex, timestamp: Date.now() });
  }

  async turnEnd(turnIndex: number, message: unknown, toolResults: readonly unknown[]): Promise<void> {
    if (!this.#host.hasHandlers("turn_end")) return;
    const results = toolResults.map(copied);
    await this.#host.emit({ type: "turn_end", turnIndex, message: copied(message), toolResults: results });
  }
}

/** What JSON makes of it; null for what it cannot hold. */
function copied(value: unknown): AgentValue {
  try {
    return readJson(JSON.stringify(value) ?? "null");
  } catch {
    return null;
  }
}
