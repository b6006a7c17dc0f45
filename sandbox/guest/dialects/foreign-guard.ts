import type { DialectName } from "../../wire/messages.ts";
import { failure } from "../core/outcome.ts";

/** What guards of tool calls hear in each dialect whose handlers name their events. */
const GUARDED: readonly [event: string, dialect: DialectName][] = [
  ["tool_call", "pi"],
  ["before_tool_call", "openclaw"],
  ["tool.before", "interceptors"],
];

/** Throws for a bundle that guards as one of another dialect does, and not as this one does: it would guard nothing. */
export function refuseForeignGuard(dialect: DialectName, events: readonly string[]): void {
  const guards = GUARDED.filter(([event]) => events.includes(event));
  const [foreign] = guards;
  if (foreign === undefined || guards.some(([, own]) => own === dialect)) return;
  const [event, other] = foreign;
  throw failure("LOAD_FAILED", `${dialect} has no event ${event}: name the dialect ${other} in the hook's manifest`);
}
