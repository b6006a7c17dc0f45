import type { SessionEvent, SessionEventResult } from "../hook-api.ts";
import type { Hook } from "../session/hook.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { reportOutcome } from "./cancelled.ts";
import type { Gate } from "./dispatcher.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { givenBy } from "./result-shape.ts";

/** Reasons of events that begin a session, or replace it by another. */
const BEGINS = new Set<SessionEvent["reason"]>(["start", "switch", "clear", "branch"]);

/** Keeps the event that begins a session, for hooks that are restarted during the session. */
export function keepSession(host: HostInside, event: SessionEvent): void {
  if (!BEGINS.has(event.reason)) return;
  host.sessionStart = event;
  for (const hook of ordered(host)) hook.tellSession();
}

/** Whether a restarted hook has to hear of the session before it is known what it hears. */
export const isUntold = (host: HostInside): boolean =>
  host.sessionStart !== undefined && host.hooks.some((hook) => hook.missedSession);

/** Hooks that hear of the session now: what they register with it is not known before. */
const tellings = new WeakMap<HostInside, Promise<void>>();

/**
 * Sends restarted hooks the current session event: many hooks set up their state, or register their guards, when a session
 * starts. Their answers are ignored, since the session has begun already. Returns `undefined` if no hook was restarted, or is
 * still handling it.
 */
export function tellRestarted(host: HostInside): Promise<void> | undefined {
  const { sessionStart } = host;
  const before = tellings.get(host);
  if (!sessionStart || !isUntold(host)) return before;
  const restarted = ordered(host, (hook) => hook.missedSession);
  for (const hook of restarted) hook.tellSession();
  const told = host.dispatcher.each(restarted, sessionStart, (hook, outcome) => {
    reportOutcome(host, hook, sessionStart, outcome);
    return undefined;
  });
  const telling = Promise.all([before, told])
    .then(() => {})
    .finally(() => {
      if (tellings.get(host) === telling) tellings.delete(host);
    });
  tellings.set(host, telling);
  return telling;
}

/** Lets a hook judge only once it has heard of the session, however often it is restarted meanwhile. */
export const afterSession = (host: HostInside, fault: Gate["fault"] = noFault): Gate => ({
  ready: () => tellRestarted(host),
  fault,
});

const noFault = (): Failure | undefined => undefined;

/** Sends a session event to hooks. The last result wins as a whole; a `cancel` ends the round. */
export async function announceSession(host: HostInside, event: SessionEvent): Promise<SessionEventResult | undefined> {
  const listening = ordered(host, (hook) => hook.handles("session"));
  const hooks = await inPriorityOrder(host, listening, "session", "");
  let result: SessionEventResult | undefined;
  const passed: Hook[] = [];
  await host.dispatcher.each(hooks, event, (hook, outcome) => {
    reportOutcome(host, hook, event, outcome);
    const given = givenBy<SessionEventResult>(outcome);
    const allowed = given && permitted(host, hook, given);
    if (!allowed) {
      if ("verdict" in outcome) passed.push(hook);
      return undefined;
    }
    result = allowed;
    // A shutdown cannot be cancelled.
    const cancels = allowed.cancel === true && event.reason !== "shutdown";
    host.reporter.audit({
      hook: hook.id,
      event: "session",
      value: event.reason,
      outcome: cancels ? "cancel" : "answered",
    });
    return cancels ? "stop" : undefined;
  });
  host.reporter.passed(passed, "session", event.reason);
  if (event.reason === "shutdown" && result?.cancel) return undefined;
  return result;
}

/** The part of a result that the hook's grant covers; `undefined` if nothing is left. */
function permitted(host: HostInside, hook: Hook, given: SessionEventResult): SessionEventResult | undefined {
  const result = { ...given };
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
