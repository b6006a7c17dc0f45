import { expect } from "vitest";
import type { Trace } from "../compare.ts";
import { on } from "../events.ts";
import type { Capabilities, Scenario, Step } from "../scenario.ts";

/** A difference between Cordon and pi on purpose: the sentence that says so, and the behaviour of each side. */
export interface Difference extends Scenario {
  claim: string;
  /** Verbatim, with its source. */
  rule: string;
  see: (trace: Trace) => unknown;
  pi: unknown;
  cordon: unknown;
}

export const bash = (command: string): Step => ({ call: { command } });
export const outcomes = (trace: Trace): unknown[] => trace.steps.map(({ outcome }) => outcome ?? null);
export const titles = (trace: Trace): string[] => trace.steps.flatMap(({ shown }) => shown.map(({ title }) => title));
export const blocked = (part: string) => ({ blocked: expect.stringContaining(part) });
export const events = (more: Record<string, unknown> = {}): Capabilities => ({
  events: { see: ["*"], block: true, cancel: true, ...more },
});
export const shell = { program: "sh", args: ["-c", { kind: "text" as const }], fullAccess: true };
/** Runs one command and shows its result. */
export const running = (call: string): string =>
  on(
    "agent_start",
    `const { stdout, code, killed } = await ${call}; ctx.ui.notify(JSON.stringify([stdout, code, killed]), "info");`,
  );
