import type { ToolResultEvent, ToolResultEventResult } from "../hook-api.ts";
import { failureReason, thrownReason, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import { grantRemedy } from "../session/remedies.ts";
import type { Failure, Outcome } from "../supervisor/outcome.ts";
import { isCancelled, reportOutcome } from "./cancelled.ts";
import { changesIn } from "./changes.ts";
import type { Gate } from "./dispatcher.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { givenBy } from "./result-shape.ts";
import { afterSession, whenTold } from "./session.ts";

/** Why a guard's change of a result does not hold. */
const UNDONE = "another hook changed the result after this one, which would change it back";

export interface ToolResultOutcome {
  result: ToolResultEventResult | undefined;
  /** Ids of the hooks that changed the result. */
  changedBy: string[];
}

/**
 * Shows a tool's result to hooks. Each hook sees the changes of those before it, as in later versions of pi. If a hook that
 * guards this tool's results fails, the result is withheld: the hook might have removed a secret.
 */
export async function passToolResult(host: HostInside, event: ToolResultEvent): Promise<ToolResultOutcome> {
  const changedBy: string[] = [];
  let result: ToolResultEventResult | undefined;
  for (const hook of ordered(host)) if (hook.isDown || hook.isStuck) await host.restarts.restartIfAsked(hook);
  await whenTold(host);
  const guards = (hook: Hook): boolean => hook.mayFor("guardResult", event.toolName);
  const gate = afterSession(host, (hook) => (guards(hook) && hook.lacks("tool_result") ? LACKS_GUARD : undefined));
  let out = guardOut(host, event.toolName);
  const listening = ordered(host, (hook) => hook.handles("tool_result"));
  let hooks = listening;
  if (!out && listening.some((hook) => hook.hasMatchers)) {
    hooks = await inPriorityOrder(host, listening, "tool_result", event.toolName);
    await whenTold(host);
    out = guardOut(host, event.toolName);
  }
  if (out) {
    return withheld(host, out, failureReason(out, whyOut(out)), event);
  }
  /** What each guard left. */
  const left = new Map<Hook, ToolResultEventResult | undefined>();
  for (let at = 0; at < hooks.length; ) {
    const group = nextGroup(hooks.slice(at), event.toolName);
    let stopped: ToolResultOutcome | undefined;
    const passed: Hook[] = [];
    // It stays as it is for the group: only a hook that is alone in one may change it.
    const shown = { ...event, ...result };
    const visit = (hook: Hook, outcome: Outcome): "stop" | undefined => {
      const given = resultOf(host, hook, shown, outcome);
      if (given === "withhold") {
        stopped = withheld(host, hook, reasonOf(hook, event.toolName, outcome), event);
        return "stop";
      }
      if (given) {
        result = { ...result, ...withoutTwin(event, given) };
        changedBy.push(hook.id);
        host.reporter.audit({ hook: hook.id, event: "tool_result", value: event.toolName, outcome: "rewrite" });
      } else if ("verdict" in outcome) passed.push(hook);
      return undefined;
    };
    await host.dispatcher.each(group, shown, visit, { gate });
    host.reporter.passed(passed, "tool_result", event.toolName);
    if (stopped) return stopped;
    for (const hook of group) if (guards(hook)) left.set(hook, result);
    at += group.length;
  }
  for (const [hook, own] of left) {
    if (own === result) continue;
    const reason = await objection(host, hook, { ...event, ...result }, gate);
    // One that changes its own result again, too, says nothing of this one: it adds to whatever it sees.
    if (
      reason === undefined ||
      (reason === UNDONE && (await objection(host, hook, { ...event, ...own }, gate)) === UNDONE)
    )
      continue;
    return withheld(host, hook, reason === UNDONE ? `hook ${hook.name}: ${UNDONE}` : reason, event);
  }
  return { result, changedBy };
}

/** Why a guard does not agree to a result that it is shown again, if it does not. Its changes are not taken. */
async function objection(
  host: HostInside,
  guard: Hook,
  shown: ToolResultEvent,
  gate: Gate,
): Promise<string | undefined> {
  const reasons: string[] = [];
  await host.dispatcher.each(
    [guard],
    shown,
    (hook, outcome) => {
      const given = resultOf(host, hook, shown, outcome);
      if (given) reasons.push(given === "withhold" ? reasonOf(hook, shown.toolName, outcome) : UNDONE);
      return undefined;
    },
    { gate },
  );
  return reasons[0];
}

const NOT_RUNNING = { code: "CRASHED", summary: "it is not running" } as const;
const LACKS_GUARD = {
  code: "LOAD_FAILED",
  summary: "it guarded results before, but now it has no handler for them",
} as const;

/** A hook that guards this tool's results and is down, or came back without its guard, if there is one. */
const guardOut = (host: HostInside, tool: string): Hook | undefined =>
  ordered(host).find((hook) => hook.mayFor("guardResult", tool) && hook.isOutFor("tool_result"));

function whyOut(hook: Hook): Failure {
  if (hook.failure) return hook.failure;
  if (hook.telling) return hook.telling.failure;
  return hook.lacks("tool_result") ? LACKS_GUARD : NOT_RUNNING;
}

const changes = (hook: Hook, tool: string): boolean => hook.mayFor("rewriteResult", tool);

/** Hooks that change nothing can hear the same event in one round trip. One that may change it hears it alone. */
function nextGroup(hooks: readonly Hook[], tool: string): readonly Hook[] {
  const change = hooks.findIndex((hook) => changes(hook, tool));
  return change < 0 ? hooks : hooks.slice(0, Math.max(change, 1));
}

function resultOf(
  host: HostInside,
  hook: Hook,
  shown: ToolResultEvent,
  outcome: Outcome,
): ToolResultEventResult | "withhold" | undefined {
  const tool = shown.toolName;
  if (troubleOf(outcome)) {
    reportOutcome(host, hook, { type: "tool_result" }, outcome);
    if (hook.mayFor("guardResult", tool)) return "withhold";
  }
  // An error of one handler does not undo the change of another.
  const given = changesIn(host, shown, givenBy<ToolResultEventResult>(outcome) ?? {});
  if (!given) return undefined;
  if (!changes(hook, tool)) {
    // What it would have taken out of the result is still there.
    const withholds = hook.mayFor("guardResult", tool);
    const dropped = withholds ? "the result is withheld" : "its change of the result was dropped";
    host.reporter.refuse(hook, "tool_result", { right: "rewriteResult", tool }, dropped);
    return withholds ? "withhold" : undefined;
  }
  return given;
}

function reasonOf(hook: Hook, tool: string, outcome: Outcome): string {
  const trouble = troubleOf(outcome);
  if (!trouble && "verdict" in outcome && outcome.verdict.errors === undefined && givenBy(outcome))
    return `hook ${hook.name} changes it, and was not granted that; ${grantRemedy(hook, { capability: "events", grant: { rewriteResult: [tool] } })}`;
  if (trouble && "thrown" in trouble) return `hook ${hook.name} failed: ${thrownReason(trouble.thrown)}`;
  return failureReason(hook, trouble?.failure ?? { code: "BAD_RESULT", summary: "its result has the wrong shape" });
}

/** A change of the content alone would leave what it took out in the structured form of it. */
const withoutTwin = (event: ToolResultEvent, given: ToolResultEventResult): ToolResultEventResult =>
  event.structuredContent === undefined || given.content === undefined || Object.hasOwn(given, "structuredContent")
    ? given
    : { ...given, structuredContent: null };

function withheld(host: HostInside, hook: Hook, reason: string, event: ToolResultEvent): ToolResultOutcome {
  const outcome = isCancelled(host, undefined) ? "cancelled" : "withheld";
  host.reporter.audit({ hook: hook.id, event: "tool_result", value: reason, outcome });
  // `details` is set, since agents keep the tool's own where a result has none.
  const content = [{ type: "text" as const, text: `Result withheld: ${reason}` }];
  return {
    result: withoutTwin(event, { content, details: {}, isError: true }),
    changedBy: [hook.id],
  };
}
