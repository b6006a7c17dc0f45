import { joined, toAgent } from "../agents/command/canonical-tools.ts";
import type { Answer, CommandAgent, ToolUse } from "../agents/command/spoken.ts";
import { inQuotes } from "../base/text.ts";

/** A call of an agent, the things that it does under the names that hooks know, and the one of these that hooks changed. */
export interface ChangedPart {
  readonly use: ToolUse;
  readonly parts: readonly ToolUse[];
  readonly part: ToolUse;
}

/** A call as hooks changed it, if the agent can run it so. */
export function changedCall(
  agent: CommandAgent,
  { use, parts, part }: ChangedPart,
  input: Record<string, unknown>,
): Extract<Answer, { kind: "block" | "change" }> {
  const cannot = (what: string): { kind: "block"; reason: string } => ({
    kind: "block",
    reason: `hooks changed this call, and ${agent.title} cannot run it so: ${what}`,
  });
  if (agent.rewrites === undefined) return cannot("it takes no other input");
  if (parts.length > 1) {
    const whole = parts.length === 2 && part === parts[1] ? joined(agent.tools, use.tool, input) : undefined;
    return whole ? { kind: "change", input: whole } : cannot("it does several things at once");
  }
  const lost = Object.keys(part.input).find((name) => !Object.hasOwn(input, name));
  if (agent.rewrites === "fields" && lost !== undefined)
    return cannot(`it would keep ${inQuotes(lost)}, which they took out`);
  return { kind: "change", input: toAgent(agent.tools, use.tool, input) };
}
