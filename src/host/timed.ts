import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import type { Timed } from "../audit/exported.ts";
import { cleanLine } from "../base/text.ts";
import type { HookEvent } from "../hook-api.ts";
import type { Reporter } from "../session/reporter.ts";

/** Does what hooks do about an event, and tells how long it took and how it ended. */
export async function timed<T>(event: HookEvent, reporter: Reporter, act: () => Promise<T>): Promise<T> {
  const start = Date.now();
  const result = await act();
  reporter.timed(() => ({ ...workOn(event), start, end: Date.now(), ...endOf(result) }));
  return result;
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
