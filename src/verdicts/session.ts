import { messageOf } from "../base/errors.ts";
import type { SessionEvent, SessionEventResult } from "../hook-api.ts";
import { troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import { Telling } from "../session/telling.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { reportOutcome } from "./cancelled.ts";
import { type Gate, START_MS } from "./dispatcher.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { givenBy } from "./result-shape.ts";

/** Reasons of events that begin a session, or replace it by another. */
const BEGINS = new Set<SessionEvent["reason"]>(["start", "switch", "clear", "branch"]);

/** Keeps the event that begins a session: no hook has heard of it yet. Hooks that are restarted during the session hear it, too. */
export function keepSession(host: HostInside, event: SessionEvent): void {
  if (!BEGINS.has(event.reason)) return;
  host.sessionStart = event;
  for (const hook of host.hooks) hook.missSession();
}

/** Events of which the first begins a session, if none was announced: no agent has them before one. */
const BEGIN_ONE = new Set(["agent_start", "turn_start", "tool_call", "tool_result", "permission_request", "user_bash"]);

const UNANNOUNCED: SessionEvent = {
  ...{ type: "session", reason: "start", entries: [], sessionFile: null, previousSessionFile: null },
};

/** An agent that announces no session begins one by its first turn or call: hooks that set themselves up when one begins hear of it. */
export function beginUnannounced(host: HostInside, type: string): void {
  if (BEGIN_ONE.has(type)) host.sessionStart ??= UNANNOUNCED;
}

/** Whether a hook has to hear of the session, and to handle that, before it is known whether it hears an event of this type. */
export const isUntold = (host: HostInside, type: string): boolean =>
  (host.sessionStart !== undefined || BEGIN_ONE.has(type)) &&
  host.hooks.some(({ missedSession, telling }) => missedSession || telling);

/**
 * Sends hooks the current session event that have not heard it: many set up their state, or register their guards, when a
 * session starts. Their answers are ignored, since the session has begun already. Returns `undefined` if no hook is still handling
 * it. One that ends and is restarted again and again is not waited for.
 */
export function whenTold(host: HostInside): Promise<void> | undefined {
  const tried: Tried = new WeakSet();
  const telling = tellAll(host, tried);
  return telling && untilTold(host, telling, tried);
}

/** What was begun for one event: a hook that it did not reach is told again for the next event, and not for this one. */
type Tried = WeakSet<Telling>;

async function untilTold(host: HostInside, telling: Promise<void>, tried: Tried): Promise<void> {
  const end = performance.now() + host.dispatcher.hookTimeout + START_MS;
  for (let next: Promise<void> | undefined = telling; next && performance.now() < end; next = tellAll(host, tried))
    await next;
}

function tellAll(host: HostInside, tried: Tried): Promise<void> | undefined {
  if (!host.hooks.some((hook) => hook.missedSession || hook.telling)) return undefined;
  const tellings = host.hooks.flatMap((hook) => (isHere(hook) ? (tell(host, hook, tried) ?? []) : []));
  return tellings.length === 0 ? undefined : Promise.all(tellings).then(() => {});
}

const isHere = (hook: Hook): boolean => hook.state !== "pending" && !hook.disabled;

/** Tells one hook of the session, which may take as long as any event. `undefined` if nothing need be waited for. */
function tell(host: HostInside, hook: Hook, tried: Tried): Promise<void> | undefined {
  const { dispatcher, sessionStart } = host;
  const before = hook.telling;
  if (before && !before.isMissed) return before.isLate ? undefined : before.wait;
  if (before && tried.has(before)) return undefined;
  hook.telling = undefined;
  if (!sessionStart || !hook.missedSession) return undefined;
  let ended: Outcome | undefined;
  const visit = (one: Hook, outcome: Outcome): undefined => {
    ended = outcome;
    reportOutcome(host, one, sessionStart, outcome);
  };
  const telling = beginTelling(hook, dispatcher.hookTimeout);
  tried.add(telling);
  const gate: Gate = {
    skips: (one) => isPast(host, one, sessionStart),
    asking: (asked) => {
      noteTold(asked);
      telling.ask();
    },
  };
  void dispatcher
    .each([hook], sessionStart, visit, { gate })
    .catch((error: unknown) => {
      // As where the agent's state throws.
      ended = {
        failure: { code: "CRASHED", summary: `it could not be told of the session: ${messageOf(error)}`, unsent: true },
      };
      host.reporter.log({ level: "error", hook: hook.id, text: messageOf(error) });
    })
    .then(() => endTelling(hook, telling, ended));
  return telling.wait;
}

/** `mostMs`: how long calls wait for it. */
function beginTelling(hook: Hook, mostMs: number): Telling {
  const telling = new Telling(mostMs);
  hook.telling = telling;
  return telling;
}

/** `outcome`: none if it was not asked. A hook that throws has handled it, as in pi; one whose process ended starts anew. */
function endTelling(hook: Hook, telling: Telling, outcome?: Outcome): void {
  if (outcome && "failure" in outcome && outcome.failure.unsent) {
    hook.missSession();
    telling.miss(outcome.failure);
    return;
  }
  const trouble = outcome && "verdict" in outcome ? troubleOf(outcome) : undefined;
  // It is still at work, and its time is up.
  if (trouble && "failure" in trouble && trouble.failure.code === "TIMEOUT") {
    telling.getStuck();
    return;
  }
  telling.end();
  // It may be told of the next session by now.
  if (hook.telling === telling) hook.telling = undefined;
}

/** A hook need not hear of this session any more: it has heard of it, or another one has begun. */
const isPast = (host: HostInside, hook: Hook, event: SessionEvent): boolean =>
  !hook.missedSession || host.sessionStart !== event;

const noteTold = (hooks: readonly Hook[]): void => {
  for (const hook of hooks) hook.tellSession();
};

/** Lets a hook judge only once it has handled the start of the session, however often it is restarted meanwhile. */
export function afterSession(host: HostInside, fault: Gate["fault"] = () => undefined): Gate {
  const tried: Tried = new WeakSet();
  return {
    ready: (hook) => tell(host, hook, tried),
    fault: (hook) => hook.telling?.failure ?? fault(hook),
    heard: (hook) => hook.timesTold,
  };
}

/**
 * Lets a hook hear of a session only once it has handled the start of the one before: what still does that would go on beside this,
 * and end with the rules of that. One that has had its time is started anew.
 */
function afterSessionBefore(host: HostInside, hook: Hook): Promise<void> | undefined {
  const { telling, bringingUp } = hook;
  if (bringingUp || !telling || telling.isMissed) return bringingUp;
  return telling.isLate ? host.restarts.restart(hook) : telling.wait;
}

/** Sends a session event to hooks. The last result wins as a whole; a `cancel` ends the round. */
export async function announceSession(host: HostInside, event: SessionEvent): Promise<SessionEventResult | undefined> {
  const listening = ordered(host, (hook) => hook.handles("session"));
  const hooks = await inPriorityOrder(host, listening, "session", "");
  let result: SessionEventResult | undefined;
  const passed: Hook[] = [];
  const tellings = new Map<Hook, Telling>();
  const end = (hook: Hook, outcome?: Outcome): void => {
    const telling = tellings.get(hook);
    if (telling) endTelling(hook, telling, outcome);
    tellings.delete(hook);
  };
  const visit = (hook: Hook, outcome: Outcome): "stop" | undefined => {
    end(hook, outcome);
    reportOutcome(host, hook, event, outcome);
    const given = givenBy<SessionEventResult>(outcome);
    const allowed = given && permitted(host, hook, given, event.reason);
    if (!allowed) {
      if ("verdict" in outcome) passed.push(hook);
      return undefined;
    }
    result = allowed;
    const cancels = allowed.cancel === true;
    host.reporter.audit({
      hook: hook.id,
      event: "session",
      value: event.reason,
      outcome: cancels ? "cancel" : "answered",
    });
    return cancels ? "stop" : undefined;
  };
  const gate: Gate = {
    ready: (hook) => afterSessionBefore(host, hook),
    // A call that could not wait may have told it already.
    skips: (hook) => isPast(host, hook, event),
    asking: (asked) => {
      noteTold(asked);
      for (const hook of asked) {
        const telling = beginTelling(hook, host.dispatcher.hookTimeout * asked.length);
        telling.ask();
        tellings.set(hook, telling);
      }
    },
    unasked: (left) => {
      for (const hook of left) {
        hook.missSession();
        end(hook);
      }
    },
  };
  try {
    await host.dispatcher.each(hooks, event, visit, BEGINS.has(event.reason) ? { gate } : {});
  } finally {
    for (const hook of tellings.keys()) end(hook);
  }
  host.reporter.passed(passed, "session", event.reason);
  return result;
}

/** The part of a result that the hook's grant covers; `undefined` if nothing is left. */
function permitted(
  host: HostInside,
  hook: Hook,
  given: SessionEventResult,
  reason: SessionEvent["reason"],
): SessionEventResult | undefined {
  const result = { ...given };
  // What has begun, or ends, cannot be cancelled: every hook hears of it.
  if (!reason.startsWith("before_")) delete result.cancel;
  if ((result.cancel || result.skipConversationRestore) && !hook.may("cancel")) {
    host.reporter.refuse(hook, "session", { right: "cancel" }, "its cancel was dropped");
    delete result.cancel;
    delete result.skipConversationRestore;
  }
  if ((result.compactionEntry || result.compaction) && !hook.may("compact")) {
    host.reporter.refuse(hook, "session", { right: "compact" }, "its compaction was dropped");
    delete result.compactionEntry;
    delete result.compaction;
  }
  // A result that the hook left empty still replaces an earlier one. A result that was emptied here does not.
  return Object.keys(result).length > 0 || Object.keys(given).length === 0 ? result : undefined;
}
