import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import type { Timed } from "../audit/exported.ts";
import { cleanLine } from "../base/text.ts";
import type { HookEvent } from "../hook-api.ts";
import type { Reporter } from "../session/reporter.ts";

/**
 * Hooks begin to work on an event. Returns what is to be called with their result: it tells OpenTelemetry how long that took, and
 * how it ended. `undefined` if that is off.
 */
export function timing(event: HookEvent, reporter: Reporter): ((result: unknown) => void) | undefined {
  if (!reporter.isExported) return undefined;
  const start = Date.now();
  return (result) => reporter.timed(() => ({ ...workOn(event), start, end: Date.now(), ...endOf(result) }));
}

function workOn(event: HookEvent): Pick<Timed, "name" | "tool"> {
  if (event.type !== "tool_call" && event.type !== "tool_result") return { name: event.type };
  const { type, toolName, toolCallId } = event;
  return { name: type, tool: { name: cleanLine(toolName, MAX_NAME), callId: cleanLine(toolCallId, MAX_NAME) } };
}

/** How an event ended, by its result: passed, blocked by a hook, or changed. */
function endOf(result: unknown): Pick<Timed, "outcome" | "hook"> {
  const { block, hook, changedBy } = Object(result) as { block?: boolean; hook?: string; changedBy?: string[] };
  if (block) return { outcome: "block", ...(hook ? { hook } : {}) };
  const isChanged = changedBy === undefined ? result !== undefined : changedBy.length > 0;
  return { outcome: isChanged ? "rewrite" : "pass" };
}
