import { codeOf, type Trouble, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import type { Blocked } from "./blocked.ts";
import type { AnyEvent } from "./dispatcher.ts";
import type { HostInside } from "./host-inside.ts";

/** The block of a call that the agent gave up: no hook's verdict, and no hook's failure. */
export const CANCELLED: Blocked = { block: true, reason: "The call was cancelled", hook: "" };

/** True if nobody waits for a verdict any more: the agent gave up, or the host is closed. */
export const isCancelled = (host: Pick<HostInside, "reporter">, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true || host.reporter.isOver;

/** How a run of what a hook offers ended, for the audit: `ran`, `cancelled`, or the code of what went wrong. */
export function endOf(trouble: Trouble | undefined, gaveUp: boolean): string {
  if (!trouble) return "ran";
  if (gaveUp) return "cancelled";
  return "failure" in trouble ? trouble.failure.code : codeOf(trouble.thrown);
}

/**
 * Reports what went wrong with a hook while it handled an event that is no tool call. What goes wrong once nobody waits any more
 * is no failure of the hook.
 */
export function reportOutcome(
  host: Pick<HostInside, "reporter">,
  hook: Hook,
  event: AnyEvent & { signal?: unknown },
  outcome: Outcome,
): void {
  const signal = event.signal instanceof AbortSignal ? event.signal : undefined;
  if (!isCancelled(host, signal)) host.reporter.reportOutcome(hook, event.type, outcome);
  else if (troubleOf(outcome)) host.reporter.audit({ hook: hook.id, event: event.type, outcome: "cancelled" });
}
