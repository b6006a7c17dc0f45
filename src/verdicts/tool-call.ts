import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { messageOf } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { ToolCallEvent } from "../hook-api.ts";
import { failureReason, MAX_HOOK_TEXT } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { type Blocked, codeOfBlock, failedBlock, placeOfBlock, WOULD_BLOCK } from "./blocked.ts";
import { CallRound, type Change, type Input, type Judging, type Rewriting } from "./call-round.ts";
import { CANCELLED, isCancelled } from "./cancelled.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { NotPlain, plainCopy } from "./plain-copy.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { afterSession, whenTold } from "./session.ts";

/** `toolName`: the tool that is to run instead of the one that was called. */
export type ToolCallOutcome = Blocked | { input: Record<string, unknown>; toolName?: string } | undefined;

/** Says which tools an agent can run. One that throws says no. */
export type CanRun = (tool: string) => boolean | Promise<boolean>;

export interface JudgeOptions {
  /** When it is aborted, the hooks' requests are cancelled and the call is blocked. */
  signal?: AbortSignal | undefined;
  /** Which tools the agent can run if a hook chooses another one; without it, such a call is blocked. */
  canRun?: CanRun | undefined;
  /**
   * For an agent that can put a call to the person itself: whether this hook asked the person in this call. If it blocks then,
   * the other hooks judge all the same, and unless one of them blocks, the outcome is a block with `question`.
   */
  isQuestion?: ((hook: string) => boolean) | undefined;
  /** Where hooks only monitor: hears what would have blocked the call. */
  onWouldBlock?: ((block: Blocked) => void) | undefined;
}

interface Call {
  input: Input;
  toolName: string;
}

/** How often hooks may choose another tool for one call. */
const MAX_TOOL_CHANGES = 3;

/**
 * Judges one tool call. Bundles that may rewrite this tool's input run first, each on the input that the one before left.
 * Then all others judge the final input, together with each rewriter that has judged a different one. The first block is
 * final, unless it is a question. If a hook chooses another tool, all hooks judge the call of that tool. Never rejects.
 */
export async function judgeToolCall(
  host: HostInside,
  event: ToolCallEvent,
  { signal, canRun = () => false, isQuestion = () => false, onWouldBlock }: JudgeOptions = {},
): Promise<ToolCallOutcome> {
  try {
    const judging: Judging = { host, signal, isQuestion, onWouldBlock };
    const original = { ...event, input: readInput(event.input) };
    let call = original;
    for (let changes = 0; ; changes++) {
      const judged = await judge(judging, call);
      if ("block" in judged) return judged;
      if (judged.toolName === call.toolName) {
        if (isCancelled(host, signal)) return cancelled(judging, "", event);
        const changed = changeOf(original, judged);
        if (!judging.question) return changed;
        return { ...judging.question, question: changed ? { input: changed.input } : {} };
      }
      const fault = await faultOfTool(judged.toolName, changes, canRun);
      if (fault !== undefined) return blockItself(host, original, fault);
      call = { ...call, ...judged };
    }
  } catch (error) {
    const reason =
      error instanceof NotPlain
        ? `the tool's ${error.message}, which hooks could not judge as it is`
        : messageOf(error);
    return blockItself(host, event, cleanText(reason, MAX_HOOK_TEXT));
  }
}

/** A block by no hook, but by Cordon itself. `policy`: the file of the policy that wants it, if one does. */
export function blockItself(host: HostInside, event: ToolCallEvent, reason: string, policy?: string): Blocked {
  const block: Blocked = { block: true, reason, hook: "" };
  const value = `${cleanLine(event.toolName, 200)}: ${reason}`;
  host.reporter.audit({ hook: "", event: "tool_call", value, ...(policy ? { policy } : {}), outcome: "block" });
  keepBlock(host, block, event);
  return block;
}

export function auditBlock(host: HostInside, hook: string, value: string, outcome = "block"): void {
  host.reporter.audit({ hook, event: "tool_call", value, outcome });
}

/** Audits that the agent gave up a call. Whatever the hook said then counts for nothing. */
function cancelled({ host }: Judging, hook: string, { toolName }: ToolCallEvent): Blocked {
  auditBlock(host, hook, cleanLine(toolName, 200), "cancelled");
  return CANCELLED;
}

/** Keeps what `cordon why` says about a block. */
function keepBlock(host: HostInside, block: Blocked, { toolName, input }: ToolCallEvent): void {
  const [at, code] = [placeOfBlock(block), codeOfBlock(block)];
  host.reporter.blocked({
    time: new Date().toISOString(),
    hook: block.hook,
    tool: cleanLine(toolName, 200),
    reason: block.reason,
    ...(at === undefined ? {} : { at }),
    ...(code === undefined ? {} : { code }),
    input,
  });
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
const hearersOf = (host: HostInside): Hook[] => ordered(host, (hook) => hook.guardsCalls || hook.observesCalls);

/** Why a call cannot go on with the tool that a hook chose, if so. `changes`: the changes of the tool before this one. */
async function faultOfTool(chosen: string, changes: number, canRun: CanRun): Promise<string | undefined> {
  // The agent would run the called tool with an input that is meant for another tool: no hook has judged that call.
  if ((await canRun(chosen)) !== true)
    return `a hook chose the tool ${cleanLine(chosen, 200)} instead, which this agent cannot run`;
  return changes === MAX_TOOL_CHANGES ? `hooks chose another tool more than ${MAX_TOOL_CHANGES} times` : undefined;
}

/** What the agent is to run instead of the call, if anything. */
function changeOf(original: ToolCallEvent, { input, toolName }: Call): Exclude<ToolCallOutcome, Blocked> {
  if (toolName !== original.toolName) return { input, toolName };
  return input === original.input || JSON.stringify(input) === JSON.stringify(original.input) ? undefined : { input };
}

/** Judges a call once: returns a block, or the call as the rewriting bundles left it. */
async function judge(judging: Judging, event: ToolCallEvent): Promise<Blocked | Call> {
  const { host } = judging;
  const { toolName } = event;
  const telling = whenTold(host);
  if (telling) await telling;
  let hooks = hearersOf(host);
  if (!hooks.every((hook) => hook.isUp && !hook.lacksGuard && !hook.isStuck)) {
    const closed = await openGates(judging, event);
    if (closed) return closed;
    await whenTold(host);
    // A hook that went down meanwhile is among them: it gives no verdict, which blocks the call.
    hooks = hearersOf(host);
  }
  if (hooks.some((hook) => hook.hasMatchers)) hooks = await inPriorityOrder(host, hooks, "tool_call", toolName);
  let { input } = event;
  let chosen = toolName;
  const left = new Map<Hook, Input>();
  for (const hook of hooks) {
    if (!hook.mayFor("rewriteInput", toolName)) continue;
    const before = input;
    const shown = before === event.input ? event : { ...event, input: before };
    const take = (change: Change): void => {
      input = change.input ?? input;
      chosen = change.tool ?? chosen;
    };
    const block = await ask(judging, [hook], shown, { take });
    if (block) return block;
    if (chosen !== toolName) return { input, toolName: chosen };
    left.set(hook, input);
  }
  const judges = left.size === 0 ? hooks : hooks.filter((hook) => left.get(hook) !== input);
  if (judges.length === 0) return { input, toolName };
  const shown = input === event.input ? event : { ...event, input };
  const disagree = new Set<Hook>();
  const block = await ask(judging, judges, shown, { dropped: (hook) => void disagree.add(hook) });
  return block ?? (await undone(judging, disagree, shown, left)) ?? { input, toolName };
}

/**
 * A block by a hook that would change the call as others left it. One that changes its own call again, too, says nothing of theirs:
 * it adds to whatever it sees. `left`: what each made of the call.
 */
async function undone(
  judging: Judging,
  hooks: ReadonlySet<Hook>,
  event: ToolCallEvent,
  left: ReadonlyMap<Hook, Input>,
): Promise<Blocked | undefined> {
  for (const hook of hooks) {
    const input = left.get(hook);
    const adds = new Set<Hook>();
    const dropped = (of: Hook): void => void adds.add(of);
    const block =
      (input && (await ask(judging, [hook], { ...event, input }, { dropped }))) ??
      (adds.has(hook) ? undefined : await ask(judging, [hook], event, "refused"));
    if (block) return block;
  }
  return undefined;
}

/**
 * Asks hooks about one input. It passes when each of them has given its verdict. After a person restarted or disabled a hook
 * that failed, all hooks that have not judged yet are asked again.
 */
async function ask(
  judging: Judging,
  hooks: readonly Hook[],
  event: ToolCallEvent,
  rewriting: Rewriting,
): Promise<Blocked | undefined> {
  const { host, signal } = judging;
  const judged = new Set<Hook>();
  const gate = afterSession(host, (hook) => (hook.lacksGuard ? LACKS_GUARD : undefined));
  for (;;) {
    const open = hooks.filter((hook) => !judged.has(hook) && !hook.disabled);
    if (open.length === 0) return undefined;
    const wasOut = open.filter(isOut);
    const round = new CallRound(judging, open, event, judged, rewriting);
    await host.dispatcher.each(open, event, (hook, outcome) => round.visit(hook, outcome), { gate, signal });
    const refusal = round.end();
    if (!refusal) continue;
    const { block, hook, failure } = refusal;
    if (isCancelled(host, signal)) return cancelled(judging, hook.id, event);
    const value = `${event.toolName}: ${block.reason}`;
    if (host.monitors(hook)) {
      judged.add(hook);
      const would = wasOut.includes(hook) ? blockOf(hook, failureOfDown(hook)) : block;
      auditBlock(host, hook.id, `${event.toolName}: ${would.reason}`, WOULD_BLOCK);
      judging.onWouldBlock?.(would);
      continue;
    }
    if (!failure && judging.isQuestion(hook.id)) {
      judging.question ??= block;
      judged.add(hook);
      auditBlock(host, hook.id, value, "ask");
      continue;
    }
    if (failure && (await host.rescue.offer(hook, failure)) !== "keep") continue;
    if (!failure) await host.rescue.afterBlock(hook);
    hook.blocked++;
    auditBlock(host, block.hook, value);
    keepBlock(host, block, event);
    return block;
  }
}

const NOT_RUNNING = { code: "CRASHED", summary: "it is not running" } as const;
const LACKS_GUARD = {
  code: "LOAD_FAILED",
  summary: "it guarded tool calls before, but now it has no handler for them",
} as const;

/** Why a hook is out. */
const failureOfDown = (hook: Hook): Failure =>
  hook.failure ?? hook.telling?.failure ?? (hook.lacksGuard ? LACKS_GUARD : NOT_RUNNING);

const blockOf = (hook: Hook, failure: Failure): Blocked =>
  failedBlock(hook, failureReason(hook, failure), failure.code);

/** True if a hook could not be started, is being restarted, came back without its guard, or did not handle the start of the session. */
const isOut = (hook: Hook): boolean =>
  hook.isDown || hook.lacksGuard || hook.isStuck || (hook.state === "starting" && !hook.disabled);

/** Waits for hooks that are starting, and asks the person about those that are down. Returns a block if a guard is missing. */
async function openGates(judging: Judging, event: ToolCallEvent): Promise<Blocked | undefined> {
  const { host, signal } = judging;
  for (const hook of ordered(host)) {
    if (!hook.guardsCalls) continue;
    if (hook.state === "starting") await hook.whenStarted();
    if (hook.isDown || hook.lacksGuard || hook.isStuck) await host.restarts.restartIfAsked(hook);
    for (;;) {
      // If it was restarted here, it may register its guard when it receives the session event.
      await whenTold(host);
      if (!isOut(hook)) break;
      const failure = failureOfDown(hook);
      const block = blockOf(hook, failure);
      // It gives no verdict, which is recorded when it is asked.
      if (hook.failsOpen || host.monitors(hook)) break;
      if (isCancelled(host, signal)) return cancelled(judging, hook.id, event);
      if ((await host.rescue.offer(hook, failure)) === "keep") {
        hook.blocked++;
        auditBlock(host, hook.id, `${event.toolName}: ${block.reason}`);
        keepBlock(host, block, event);
        return block;
      }
    }
  }
  return undefined;
}
