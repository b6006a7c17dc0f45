import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { type ErrorCode, messageOf } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { ToolCallEvent } from "../hook-api.ts";
import {
  codeOf,
  DEFAULT_REASON,
  failureReason,
  MAX_HOOK_TEXT,
  thrownReason,
  troubleOf,
} from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { NotPlain, plainCopy } from "./plain-copy.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { givenBy } from "./result-shape.ts";
import { tellRestarted } from "./session.ts";

export interface Blocked {
  block: true;
  reason: string;
  /** Id of the hook; empty when Cordon itself blocks. */
  hook: string;
}

/** For blocks that a failure caused: what happened to the hook. */
const codes = new WeakMap<Blocked, ErrorCode>();
export const codeOfBlock = (block: Blocked): ErrorCode | undefined => codes.get(block);

function failedBlock(hook: Hook, reason: string, code: ErrorCode): Blocked {
  const block: Blocked = { block: true, reason, hook: hook.id };
  codes.set(block, code);
  return block;
}

/** `toolName`: the tool that is to run instead of the one that was called. */
export type ToolCallOutcome = Blocked | { input: Record<string, unknown>; toolName?: string } | undefined;

type Input = Record<string, unknown>;

/** How a bundle changed a call. */
interface Change {
  input?: Input;
  tool?: string;
}

/** The judging of one call. */
interface Judging {
  host: HostInside;
  signal: AbortSignal | undefined;
}

/** How often hooks may choose another tool for one call. */
const MAX_TOOL_CHANGES = 3;

/**
 * Judges one tool call. Bundles that may rewrite this tool's input run first, each on the input that the one before left.
 * Then all others judge the final input, together with each rewriter that has judged a different one. The first block is
 * final. If a hook chooses another tool, all hooks judge the call of that tool. Never rejects.
 */
export async function judgeToolCall(
  host: HostInside,
  event: ToolCallEvent,
  signal?: AbortSignal,
  canRun: (tool: string) => boolean = () => false,
): Promise<ToolCallOutcome> {
  try {
    const input = readInput(event.input);
    const outcome = await judgeAll({ host, signal }, { ...event, input }, canRun);
    if (signal?.aborted && !(outcome && "block" in outcome))
      return { block: true, reason: "The call was cancelled", hook: "" };
    return outcome;
  } catch (error) {
    const reason =
      error instanceof NotPlain
        ? `the tool's ${error.message}, which hooks could not judge as it is`
        : messageOf(error);
    return { block: true, reason: cleanText(reason, MAX_HOOK_TEXT), hook: "" };
  }
}

function auditBlock(host: HostInside, hook: string, value: string): void {
  host.reporter.audit({ hook, event: "tool_call", value, outcome: "block" });
}

function readInput(given: unknown): Input {
  const input = plainCopy(given);
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw new NotPlain("input is no object");
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_FRAME_BYTES / 2)
    throw new NotPlain(`input has ${bytes} bytes, over the limit of ${MAX_FRAME_BYTES / 2}`);
  return input as Input;
}

/** Hooks that guard calls, and those that only observe them. */
const hearersOf = (host: HostInside): Hook[] => ordered(host).filter((hook) => hook.guardsCalls || hook.observesCalls);

async function judgeAll(
  judging: Judging,
  original: ToolCallEvent,
  canRun: (tool: string) => boolean,
): Promise<ToolCallOutcome> {
  let call = original;
  for (let changes = 0; ; changes++) {
    const judged = await judge(judging, call);
    if ("block" in judged) return judged;
    const { input, toolName } = judged;
    const same = toolName === call.toolName;
    call = { ...call, input, toolName };
    if (same) break;
    // The agent would run the called tool with an input that is meant for another tool: no hook has judged that call.
    if (!canRun(toolName)) {
      const reason = `a hook chose the tool ${cleanLine(toolName, 200)} instead, which this agent cannot run`;
      auditBlock(judging.host, "", `${original.toolName}: ${reason}`);
      return { block: true, reason, hook: "" };
    }
    if (changes === MAX_TOOL_CHANGES)
      return { block: true, reason: `hooks chose another tool more than ${MAX_TOOL_CHANGES} times`, hook: "" };
  }
  const { input, toolName } = call;
  if (toolName !== original.toolName) return { input, toolName };
  return input === original.input || JSON.stringify(input) === JSON.stringify(original.input) ? undefined : { input };
}

/** Judges a call once: returns a block, or the call as the rewriting bundles left it. */
async function judge(judging: Judging, event: ToolCallEvent): Promise<Blocked | { input: Input; toolName: string }> {
  const { host } = judging;
  const { toolName } = event;
  await tellRestarted(host);
  let hooks = hearersOf(host);
  if (!hooks.every((hook) => hook.isUp && !hook.lacksGuard)) {
    const closed = await openGates(host);
    if (closed) return closed;
    // A hook that went down meanwhile is among them: it gives no verdict, which blocks the call.
    hooks = hearersOf(host);
  }
  if (hooks.some((hook) => hook.hasMatchers)) hooks = await inPriorityOrder(host, hooks, "tool_call", toolName);
  const rewriters = hooks.filter((hook) => hook.mayFor("rewriteInput", toolName));
  let { input } = event;
  let chosen = toolName;
  const left = new Map<Hook, Input>();
  for (const hook of rewriters) {
    const before = input;
    const block = await ask(judging, [hook], { ...event, input: before }, (change) => {
      input = change.input ?? input;
      chosen = change.tool ?? chosen;
    });
    if (block) return block;
    if (chosen !== toolName) return { input, toolName: chosen };
    left.set(hook, input);
  }
  const judges = hooks.filter((hook) => left.get(hook) !== input);
  return (await ask(judging, judges, { ...event, input })) ?? { input, toolName };
}

/**
 * Asks hooks about one input. It passes when each of them has given its verdict. `rewrite` receives the changes of hooks
 * with that right; without it, all changes are dropped. After a person restarted or disabled a hook that failed, all hooks
 * that have not judged yet are asked again.
 */
async function ask(
  judging: Judging,
  hooks: readonly Hook[],
  event: ToolCallEvent,
  rewrite?: (change: Change) => void,
): Promise<Blocked | undefined> {
  const { host, signal } = judging;
  const judged = new Set<Hook>();
  for (;;) {
    const open = hooks.filter((hook) => !judged.has(hook) && !hook.disabled);
    if (open.length === 0) return undefined;
    const refusal = await askOnce(judging, open, event, judged, rewrite);
    if (!refusal) continue;
    const { block, hook, failed } = refusal;
    if (failed && !signal?.aborted && (await host.rescue.offer(hook, block.reason)) !== "keep") continue;
    if (!failed) await host.rescue.afterBlock(hook);
    auditBlock(host, block.hook, `${event.toolName}: ${block.reason}`);
    return block;
  }
}

interface Refusal {
  block: Blocked;
  hook: Hook;
  failed: boolean;
}

/** Asks each hook once. Returns the first refusal, if there is one; otherwise all hooks are in `judged` afterwards. */
async function askOnce(
  { host, signal }: Judging,
  hooks: readonly Hook[],
  event: ToolCallEvent,
  judged: Set<Hook>,
  rewrite: ((change: Change) => void) | undefined,
): Promise<Refusal | undefined> {
  let refusal: Refusal | undefined;
  const passed: Hook[] = [];
  const visit = (hook: Hook, outcome: Outcome): "stop" | undefined => {
    const block = blockOf(host, hook, outcome, signal?.aborted === true);
    if (block) {
      refusal = { block, hook, failed: "failure" in (troubleOf(outcome) ?? {}) };
      return "stop";
    }
    judged.add(hook);
    if (!("verdict" in outcome)) return undefined;
    const { input, tool } = outcome.verdict;
    if (!input && tool === undefined) passed.push(hook);
    else takeChange(host, hook, event.toolName, { input, tool }, rewrite);
    return undefined;
  };
  await host.dispatcher.each(hooks, event, visit, signal);
  host.reporter.passed(passed, "tool_call", event.toolName);
  if (refusal) return refusal;
  // The verdict of a hook that may not block is not needed.
  for (const hook of hooks) if (!hook.mayBlock) judged.add(hook);
  const silent = hooks.find((hook) => !judged.has(hook));
  if (!silent) return undefined;
  const reason = failureReason(silent, { code: "CRASHED", summary: "it gave no verdict" });
  return { block: failedBlock(silent, reason, "CRASHED"), hook: silent, failed: true };
}

/** The block that one hook's outcome means, if it does. */
function blockOf(host: HostInside, hook: Hook, outcome: Outcome, cancelled: boolean): Blocked | undefined {
  const trouble = troubleOf(outcome);
  if (trouble) {
    const reason = "failure" in trouble ? failureReason(hook, trouble.failure) : thrownReason(trouble.thrown);
    const code = "failure" in trouble ? trouble.failure.code : codeOf(trouble.thrown);
    if (!cancelled) host.reporter.reportOutcome(hook, "tool_call", outcome);
    if (hook.grant.failure !== "open" && hook.mayBlock) return failedBlock(hook, reason, code);
    // The decisions of its other handlers hold.
  }
  const result = givenBy<{ block?: unknown; reason?: unknown }>(outcome);
  if (!result?.block) {
    hook.blocks = 0;
    return undefined;
  }
  if (!hook.mayBlock) {
    host.reporter.refuse(hook, "tool_call", { right: "block" }, "its block was dropped");
    return undefined;
  }
  hook.blocks++;
  const reason = typeof result.reason === "string" && result.reason !== "" ? result.reason : DEFAULT_REASON;
  return { block: true, reason: cleanText(reason, MAX_HOOK_TEXT) || DEFAULT_REASON, hook: hook.id };
}

function takeChange(
  host: HostInside,
  hook: Hook,
  from: string,
  { input, tool }: Change,
  rewrite: ((change: Change) => void) | undefined,
): void {
  const to = tool ?? from;
  const denied = [from, to].find((name) => !hook.mayFor("rewriteInput", name));
  if (denied !== undefined) {
    const dropped = to === from ? "its change of the input was dropped" : `its choice of the tool ${to} was dropped`;
    host.reporter.refuse(hook, "tool_call", { right: "rewriteInput", tool: denied }, dropped);
    return;
  }
  if (!rewrite) return;
  const plain = input && (plainCopy(toPlain(input)) as Input);
  const value = to === from ? from : `${from}: ${to}`;
  host.reporter.audit({ hook: hook.id, event: "tool_call", value, outcome: "rewrite" });
  rewrite({ input: plain, tool: to === from ? undefined : to });
}

const NOT_RUNNING = { code: "CRASHED", summary: "it is not running" } as const;
const LACKS_GUARD = {
  code: "LOAD_FAILED",
  summary: "it guarded tool calls before, but now it has no handler for them",
} as const;

/** True if a hook could not be started, is being restarted, or came back without its guard. */
const isOut = (hook: Hook): boolean => hook.isDown || hook.lacksGuard || (hook.state === "starting" && !hook.disabled);

/** Waits for hooks that are starting, and asks the person about those that are down. Returns a block if a guard is missing. */
async function openGates(host: HostInside): Promise<Blocked | undefined> {
  for (const hook of ordered(host)) {
    if (!hook.guardsCalls) continue;
    if (hook.state === "starting") await hook.whenStarted();
    if (hook.isDown || hook.lacksGuard) await host.restarts.restartIfAsked(hook);
    for (;;) {
      // If it was restarted here, it may register its guard when it receives the session event.
      await tellRestarted(host);
      if (!isOut(hook)) break;
      const failure = hook.failure ?? (hook.lacksGuard ? LACKS_GUARD : NOT_RUNNING);
      const reason = failureReason(hook, failure);
      if (hook.grant.failure === "open") break;
      if ((await host.rescue.offer(hook, reason)) === "keep") {
        auditBlock(host, hook.id, reason);
        return failedBlock(hook, reason, failure.code);
      }
    }
  }
  return undefined;
}
