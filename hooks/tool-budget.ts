import { BeforeToolCallEvent } from "@strands-agents/sdk";

/** Most calls of each tool in one session. `*` counts the calls of all tools. */
const BUDGET: Readonly<Record<string, number>> = { bash: 200, write: 100, "*": 1000 };

interface Agent {
  addHook(event: typeof BeforeToolCallEvent, callback: (event: BeforeToolCallEvent) => void): void;
}

export default class ToolBudget {
  readonly name = "tool-budget";
  readonly #used: Record<string, number> = {};

  initAgent(agent: Agent): void {
    agent.addHook(BeforeToolCallEvent, (event) => {
      const { name } = event.toolUse;
      for (const counted of [name, "*"]) {
        const limit = BUDGET[counted];
        if (limit !== undefined && (this.#used[counted] ?? 0) >= limit) {
          event.cancel = `the budget of ${limit} calls${counted === "*" ? "" : ` of ${name}`} for this session is used up`;
          return;
        }
      }
      for (const counted of [name, "*"]) this.#used[counted] = (this.#used[counted] ?? 0) + 1;
    });
  }
}
