import type { Hook } from "../session/hook.ts";
import type { HostInside } from "./host-inside.ts";

/**
 * The hooks that want an event of this type about `name` (a tool, or an agent), in order: by the highest priority among their
 * handlers that want it, then by load order. A bundle's answer is kept, so that a call that no hook wants costs no round
 * trip. A bundle that does not answer counts as wanting the event: it fails again when it is asked to judge.
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
  // The answer does not cover handlers that were registered meanwhile.
  else if (hook.events === before) hook.keepPriority(type, name, answer.priority);
}
