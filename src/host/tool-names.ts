import type { CanRun, ToolCallOutcome } from "../verdicts/tool-call.ts";

/** The agent's names of its tools, beside pi's, in which hooks and grants name them. */
export class ToolNames {
  readonly #canonical: ReadonlyMap<string, string>;
  readonly #agents: ReadonlyMap<string, string>;

  /** @param names canonical names by the agent's */
  constructor(names: Readonly<Record<string, string>> = {}) {
    this.#canonical = new Map(Object.entries(names));
    this.#agents = new Map([...this.#canonical].map(([own, canonical]) => [canonical, own]));
  }

  /** The name that hooks hear. */
  canonical = (name: string): string => this.#canonical.get(name) ?? name;

  /** The name that the agent has. */
  own = (name: string): string => this.#agents.get(name) ?? name;

  /** An event with the name that hooks hear, if it is about a tool. */
  heard<Event extends object>(event: Event): Event {
    if (this.#canonical.size === 0 || !("toolName" in event) || typeof event.toolName !== "string") return event;
    return { ...event, toolName: this.canonical(event.toolName) };
  }

  /** Whether the agent can run a tool that hooks name. */
  canRun(canRun: CanRun): CanRun {
    return (tool) => canRun(this.own(tool));
  }

  /** A verdict in the agent's words. What a hook says itself stays as it is. */
  told(outcome: ToolCallOutcome): ToolCallOutcome {
    if (outcome === undefined || "block" in outcome || outcome.toolName === undefined) return outcome;
    return { ...outcome, toolName: this.own(outcome.toolName) };
  }
}
