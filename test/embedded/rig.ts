import type { HookHost } from "../../src/host/host.ts";

/** A call that the model makes. */
export interface ModelCall {
  tool: "bash" | "read";
  input: Record<string, unknown>;
}

/** What an agent does in one test. */
export interface Plan {
  /** The model makes them in one turn; the next turn is its last. */
  calls: readonly ModelCall[];
  /** What both tools do. */
  execute(tool: string, input: unknown, signal: AbortSignal | undefined): unknown;
  signal?: AbortSignal;
  toolNames?: Record<string, string>;
  /** For an agent whose dialogs are Cordon's own: what the person chooses. */
  answer?(question: string): string;
}

/** An agent that is a library, with its adapter. */
export interface Rig {
  name: string;
  /** True if a hook may have another of the agent's tools run. */
  runsOthers: boolean;
  /** Runs the agent, and returns what the model read of each call, as text. Rejects if the agent does. */
  run(host: HookHost, plan: Plan): Promise<string[]>;
}

export const TOOLS = ["bash", "read"] as const;

/** A value as the model reads it. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
