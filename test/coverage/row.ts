import type { HookEvent } from "../../src/hook-api.ts";
import type { Run } from "./drive.ts";
import type { World } from "./world.ts";

/** An event for the hook, or something that happens in the world between two events. */
type Step = HookEvent | ((world: World) => void | Promise<void>);

/** One hook of `hooks/`, the world it meets, and what shows that it works there. */
export interface Row {
  hook: string;
  /** Files by their path in the world: `work/...`, `home/...`, `tmp/...`, `bin/...` (programs). */
  files?: Record<string, string>;
  /** `work` is a git repository, with the files in `work` committed. */
  repository?: true;
  /** Files that were changed since. */
  changed?: Record<string, string>;
  env?: (world: World) => Record<string, string>;
  /** What the person answers to `confirm`. */
  confirm?: boolean;
  /** What the loopback server of the world answers, by path. */
  answers?: Record<string, { status?: number; body: string }>;
  steps: readonly Step[];
  /** What came of it, to be looked at until it is `works`. */
  effect: (run: Run) => unknown;
  works: unknown;
  /** Traces that a person needs: a hook that gives up at a refusal shows no more than that one. Default 1. */
  rounds?: number;
  /** Traced with the command's own events: those of this row hold a function, which a file cannot. */
  samples?: true;
  /** Works without any grant: it only hears, blocks, cancels and asks. */
  powerless?: true;
  /** The power that it lacks is not reported: a variable that programs of all kinds look for. */
  unreported?: true;
}

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
