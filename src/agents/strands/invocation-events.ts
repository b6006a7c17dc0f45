import type { HookHost } from "../../host/host.ts";
import { TurnEvents } from "../turn-events.ts";
import type { StrandsAgent } from "./strands-api.ts";

/** Tells hooks how far one agent is. */
export class InvocationEvents {
  readonly #events: TurnEvents;
  readonly #agent: StrandsAgent;
  #turn = 0;

  constructor(host: HookHost, agent: StrandsAgent) {
    this.#events = new TurnEvents(host);
    this.#agent = agent;
  }

  async start(): Promise<void> {
    this.#turn = 0;
    await this.#events.agentStart();
  }

  /** Before a request to the model. */
  async turn(): Promise<void> {
    await this.#endTurn();
    await this.#events.turnStart(this.#turn++);
  }

  async end(): Promise<void> {
    await this.#endTurn();
    await this.#events.agentEnd(this.#agent.messages);
  }

  async #endTurn(): Promise<void> {
    if (this.#turn === 0) return;
    const { messages } = this.#agent;
    const answer = messages.findLastIndex((message) => (message as { role?: unknown }).role === "assistant");
    await this.#events.turnEnd(this.#turn - 1, messages[answer], messages.slice(answer + 1));
  }
}
