import type { HookHost } from "../../host/host.ts";
import { TurnEvents } from "../turn-events.ts";

interface Message {
  type?: string;
  tool_calls?: readonly unknown[];
}

/**
 * Tells hooks how far a run is, as the messages of each request to the model show it: an agent has no state here, so that runs
 * at once are kept apart.
 */
export class RunEvents {
  readonly #events: TurnEvents;

  constructor(host: HookHost) {
    this.#events = new TurnEvents(host);
  }

  async before(given: readonly unknown[]): Promise<void> {
    const { index, answer, results } = turnOf(given as readonly Message[]);
    if (results.length > 0) await this.#events.turnEnd(index - 1, answer, results);
    else await this.#events.agentStart();
    await this.#events.turnStart(index);
  }

  /** `answer`: what the model said. Without calls of tools it is the last. */
  async after(messages: readonly unknown[], answer: unknown): Promise<void> {
    const calls = (Object(answer) as Message).tool_calls ?? [];
    if (calls.length > 0) return;
    await this.#events.turnEnd(turnOf(messages as readonly Message[]).index, answer, []);
    await this.#events.agentEnd([...messages, answer]);
  }
}

/** The number of the turn that these messages ask for, with the answer and results that led to it. */
function turnOf(messages: readonly Message[]): { index: number; answer: Message | undefined; results: Message[] } {
  const asked = messages.findLastIndex(({ type }) => type === "human");
  const run = messages.slice(asked + 1);
  const last = run.findLastIndex(({ type }) => type === "ai");
  const results = run.slice(last + 1).filter(({ type }) => type === "tool");
  return { index: run.filter(({ type }) => type === "ai").length, answer: run[last], results: last < 0 ? [] : results };
}
