import type { HookHostOptions } from "../../src/session/options.ts";
import type { Answers, Shown } from "./recording-ui.ts";
import type { RepositoryState } from "./repository.ts";

export type Event = { type: string } & Record<string, unknown>;
type Option = Exclude<NonNullable<HookHostOptions["hooks"]>[number], string>;
export type Grant = NonNullable<Option["grant"]>;
export type Capabilities = NonNullable<Grant["capabilities"]>;

/** One thing that happens in a session, the same on both sides. */
export type Step =
  /** An event for `emit`. A function makes a new one for each side, for live values (a signal, a function). */
  | { emit: Event | ((session: LiveSession) => Event) }
  /** A tool is about to run: returns the outcome of the call. */
  | { call: Record<string, unknown>; tool?: string }
  /** The agent or the user does something. */
  | { act: (session: LiveSession) => void };

/** The objects that a script may use. */
export interface LiveSession {
  cwd: string;
  setSessionFile(path: string | null): void;
  setHasUI(hasUI: boolean): void;
  /** Notes of the script itself, such as what a function of an event was called with. */
  note(text: string): void;
  /** Called by answers of the user interface, set by events that wait for it. */
  whenAsked: (() => void) | undefined;
}

export interface Scenario {
  /** Sources by file name without `.ts`, in load order, or absolute paths of hook files. */
  hooks: Record<string, string> | string[];
  /** Powers beside those every scenario has; by hook where they differ. */
  grant?: Capabilities;
  answers?: Answers;
  /** Default true. */
  hasUI?: boolean;
  hookTimeout?: number;
  script: Step[];
}

/** A claim, hooks of our own by name, what happens, and more of the scenario: it must come out the same on every side. */
export type Probe = [
  claim: string,
  hooks: Record<string, string>,
  script: Step[],
  more?: Omit<Scenario, "hooks" | "script">,
];

export const scenarioOf = ([, hooks, script, more]: Probe): Scenario => ({ hooks, script, ...more });

/** One side's outcome of one step. */
export interface Observed {
  outcome: unknown;
  shown: Shown[];
  errors: { hookPath: string; event: string; error: string }[];
  sent: { text: string; attachments: unknown }[];
  notes: string[];
  /** In scenarios with commands. */
  repository?: RepositoryState;
}

/** The outcome of a tool call: an error for the model, or the input that the tool runs with. */
export type Decision = { blocked: string } | { runs: Record<string, unknown> };
