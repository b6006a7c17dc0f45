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
  await Promise.all(unknown.map((hook) => ask(host, hook, type, name)));
  const found = hooks.flatMap((hook) => {
    const priority = hook.priorityFor(type, name);
    return priority === undefined ? [] : [{ hook, priority }];
  });
  found.sort((a, b) => b.priority - a.priority || a.hook.loadOrder - b.hook.loadOrder);
  return found.map(({ hook }) => hook);
}

async function ask({ dispatcher, reporter }: HostInside, hook: Hook, type: string, name: string): Promise<void> {
  const before = hook.events;
  const answer = await dispatcher.priorityOf(hook, { type, name });
  if ("failure" in answer) reporter.reportOutcome(hook, type, answer);
  else if ("thrown" in answer) reporter.reportOutcome(hook, type, { verdict: { errors: [answer.thrown] } });
  // What came to be registered meanwhile had no part in the answer.
  else if (hook.events === before) hook.keepPriority(type, name, answer.priority);
}
