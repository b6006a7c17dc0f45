import type { DialectName } from "../../wire/messages.ts";
import { failure } from "../core/outcome.ts";

/** What decides in each dialect whose handlers name their events. No other dialect has an event of such a name. */
const DECIDING: Readonly<Partial<Record<DialectName, readonly string[]>>> = {
  pi: ["tool_call", "tool_result", "permission_request", "input", "user_bash", "context"],
  openclaw: ["before_tool_call", "tool_result_persist", "before_prompt_build"],
  interceptors: ["tool.before", "tool.after", "message.before", "params.before"],
};

/** Throws for a bundle that decides as one of another dialect does, and not as this one does: it would guard nothing. */
export function refuseForeignGuard(dialect: DialectName, events: readonly string[]): void {
  const heard = (names: readonly string[] = []): string | undefined => names.find((name) => events.includes(name));
  if (heard(DECIDING[dialect]) !== undefined) return;
  for (const [other, names] of Object.entries(DECIDING)) {
    const event = heard(names);
    if (event !== undefined)
      throw failure(
        "LOAD_FAILED",
        `${dialect} has no event ${event}: name the dialect ${other} in the hook's manifest`,
      );
  }
}
