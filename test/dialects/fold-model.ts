import type { ToolCallOutcome } from "../../src/verdicts/tool-call.ts";
import { type Dialect, toolNameIn } from "./fold-hooks.ts";

/** A second implementation of the fold of verdicts, for hooks that follow the plan in the event's input. */

/** What one hook does with one call. An empty field means that it does not. */
export interface Step {
  /** It blocks a command with this in it. */
  block: string;
  /** It throws on a command with this in it. */
  boom: string;
  /** It replaces the command by this. */
  set: string;
  /** It adds this, unless it is there. */
  add: string;
  /** It chooses other tools: only strands can. */
  choose: Partial<Record<string, string>>;
  /** It takes a while. */
  late: boolean;
}
export type Plan = Record<string, Step>;

export interface ModelHook {
  id: string;
  dialect: Dialect;
  place: number;
  /** Tools whose input it may rewrite. */
  grants: readonly string[];
  failsOpen: boolean;
}

export interface Call {
  toolName: string;
  command: string;
  plan: Plan;
}

/** What a hook was shown last, and its answer. */
export type Seen = [tool: string, saw: string, left: string];

const MAX_CHOICES = 3;
const UNDONE = "another hook changed the call after this one, which would change it back";

interface Judged {
  verdict: ToolCallOutcome;
  seen: Record<string, Seen>;
}

/** `hooks` in load order. */
export function fold(hooks: readonly ModelHook[], call: Call): Judged {
  const guards = hooks.map((hook, at) => ({ hook, at })).sort((a, b) => b.hook.place - a.hook.place || a.at - b.at);
  const seen: Record<string, Seen> = {};
  let { toolName, command } = call;

  /** Shows a hook a call, mostly the current one. Returns its block, or its changed call. */
  const ask = ({ id, dialect, failsOpen }: ModelHook, shown = command) => {
    const { block, boom, set, add, choose } = call.plan[id] as Step;
    const tool = toolNameIn(dialect, toolName);
    const has = (part: string): boolean => part !== "" && shown.includes(part);
    seen[id] = [tool, shown, shown];
    if (has(boom))
      return failsOpen
        ? { left: shown }
        : { refusal: { block: true, reason: `${id} broke on ${tool}: ${shown}`, hook: id } as const };
    if (has(block)) return { refusal: { block: true, reason: `${id} saw ${tool}: ${shown}`, hook: id } as const };
    const left = set !== "" ? set : add !== "" && !shown.includes(add) ? shown + add : shown;
    seen[id] = [tool, shown, left];
    const chosen = dialect === "strands" ? choose[tool] : undefined;
    return { left, chosen: chosen ?? toolName };
  };

  for (let choices = 0; ; choices++) {
    const may = ({ grants }: ModelHook, tool: string): boolean => grants.includes("*") || grants.includes(tool);
    const judged = new Map<ModelHook, number>();
    const made = new Map<ModelHook, string>();
    const before = toolName;
    let version = 0;
    for (const { hook } of guards.filter(({ hook }) => may(hook, before))) {
      const { refusal, left = command, chosen = before } = ask(hook);
      if (refusal) return { verdict: refusal, seen };
      if (may(hook, chosen)) {
        if (left !== command) version++;
        command = left;
        toolName = chosen;
      }
      if (toolName !== before) break;
      judged.set(hook, version);
      made.set(hook, command);
    }
    if (toolName === before) {
      /** What a hook that may change it makes of a call: a block, another one, or nothing. */
      const wants = (hook: ModelHook, shown = command) => {
        const { refusal, left = shown, chosen = before } = ask(hook, shown);
        return { refusal, changes: (left !== shown || chosen !== before) && may(hook, before) && may(hook, chosen) };
      };
      const disagree: ModelHook[] = [];
      for (const { hook } of guards) {
        if (judged.get(hook) === version) continue;
        const { refusal, changes } = wants(hook);
        if (refusal) return { verdict: refusal, seen };
        if (changes) disagree.push(hook);
      }
      for (const hook of disagree) {
        const own = wants(hook, made.get(hook));
        if (own.refusal) return { verdict: own.refusal, seen };
        if (own.changes) continue;
        ask(hook);
        return { verdict: { block: true, reason: UNDONE, hook: hook.id }, seen };
      }
      break;
    }
    if (choices === MAX_CHOICES)
      return { verdict: { block: true, reason: "hooks chose another tool more than 3 times", hook: "" }, seen };
  }
  const input = { command, plan: call.plan };
  if (toolName !== call.toolName) return { verdict: { input, toolName }, seen };
  return { verdict: command === call.command ? undefined : { input }, seen };
}
