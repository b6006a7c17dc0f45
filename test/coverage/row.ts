import type { Capabilities } from "../../src/grants/schema.ts";
import type { HookEvent } from "../../src/hook-api.ts";
import type { Run } from "./drive.ts";
import type { World } from "./world.ts";

/** An event for the hook, or an act in the world between two events. */
type Step = HookEvent | ((world: World) => void | Promise<void>);

/** One hook of `hooks/`, its world, and the sign that it works there. */
export interface Row {
  hook: string;
  /** Files by their path in the world: `work/...`, `home/...`, `tmp/...`, `bin/...` (programs). */
  files?: Record<string, string>;
  /** `work` is a git repository, with the files in `work` committed. */
  repository?: true;
  /** Files that were changed after the commit. */
  changed?: Record<string, string>;
  env?: (world: World) => Record<string, string>;
  /** The person's answer to `confirm`. */
  confirm?: boolean;
  /** The answers of the world's loopback server, by path. */
  answers?: Record<string, { status?: number; body: string }>;
  steps: readonly Step[];
  /** The result, polled until it equals `works`. */
  effect: (run: Run) => unknown;
  works: unknown;
  /** Made by hand: the narrowest grant with which that is the result and no event fails, at the usual rates and times. */
  least: Capabilities | ((world: World) => Capabilities);
  /** Traced with the command's own events: those of this row hold a function, or it acts when a file changes. */
  samples?: true;
  /** It works without any grant: it only hears, blocks, cancels and asks. */
  powerless?: true;
  /** The power that it lacks is not reported: a variable that programs of all kinds look for. */
  unreported?: true;
}

/** What it hears, and what it may decide about that. */
export const hears = (see: string[], rights: Omit<NonNullable<Capabilities["events"]>, "see"> = {}): Capabilities => ({
  events: { see, ...rights },
});

export const call = (toolName: string, input: Record<string, unknown>, toolCallId = "call-1"): HookEvent => ({
  type: "tool_call",
  toolName,
  toolCallId,
  input,
});

export const bash = (command: string): HookEvent => call("bash", { command });

export const result = (
  toolName: string,
  input: Record<string, unknown>,
  text: string,
  toolCallId = "call-1",
): HookEvent => ({
  type: "tool_result",
  toolName,
  toolCallId,
  input,
  content: [{ type: "text", text }],
  details: undefined,
  isError: false,
});

type Reason = "start" | "before_clear" | "shutdown";

export const session = (reason: Reason, entries: unknown[] = []): HookEvent => ({
  type: "session",
  reason,
  entries,
  sessionFile: null,
  previousSessionFile: null,
});

export const turnEnd = (turnIndex: number, message: object = { role: "assistant", content: [] }): HookEvent => ({
  type: "turn_end",
  turnIndex,
  message,
  toolResults: [],
});

export const agentEnd = (...messages: object[]): HookEvent => ({ type: "agent_end", messages });
