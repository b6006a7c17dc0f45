import { PRIORITY_QUERY } from "../../sandbox/wire/messages.ts";
import type { Hook } from "../session/hook.ts";
import type { HostInside } from "./host-inside.ts";

/**
 * The hooks that an event of this type about `name` (a tool, or an agent) concerns, in order: by the highest priority
 * among their handlers that want it, then the order of loading. What a bundle answers is kept, so that a call nobody wants costs no round trip. One
 * that does not answer is taken to want everything: it fails again when it is asked to judge.
 */
export async function inPriorityOrder(
  host: HostInside,
  hooks: readonly Hook[],
  type: string,
  name: string,
): Promise<Hook[]> {
  const unknown = hooks.filter((hook) => hook.hasMatchers && hook.isUp && !hook.knowsPriority(type, name));
  if (unknown.length > 0) {
    const question = { type: PRIORITY_QUERY, of: type, name };
    const before = new Map(unknown.map((hook) => [hook, hook.events]));
    await host.dispatcher.each(unknown, question, (hook, outcome) => {
      const answer = "verdict" in outcome ? (outcome.verdict.result as { priority?: number } | undefined) : undefined;
      // What came to be registered meanwhile had no part in the answer.
      if (answer && hook.events === before.get(hook)) hook.keepPriority(type, name, answer.priority);
      if (!answer) host.reportOutcome(hook, type, outcome);
      return undefined;
    });
  }
  const found = hooks.flatMap((hook) => {
    const priority = hook.priorityFor(type, name);
    return priority === undefined ? [] : [{ hook, priority }];
  });
  found.sort((a, b) => b.priority - a.priority || a.hook.loadOrder - b.hook.loadOrder);
  return found.map(({ hook }) => hook);
}
