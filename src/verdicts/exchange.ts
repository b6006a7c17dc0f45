import { cleanText } from "../base/text.ts";
import type { MessageEvent, MessageEventResult, ParamsEvent, ParamsEventResult } from "../hook-api.ts";
import type { Hook } from "../session/hook.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { reportOutcome } from "./cancelled.ts";
import { changesIn } from "./changes.ts";
import { type HostInside, ordered } from "./host-inside.ts";
import { inPriorityOrder } from "./priority-order.ts";
import { givenBy } from "./result-shape.ts";
import { afterSession } from "./session.ts";

/** Longest message that a hook may write. */
const MAX_MESSAGE = 1_000_000;

/** The right that each part of a result needs. A message's metadata is for hooks that choose parameters. */
const RIGHTS: Readonly<Record<string, readonly ("rewriteMessage" | "rewriteParams")[]>> = {
  text: ["rewriteMessage"],
  metadata: ["rewriteParams", "rewriteMessage"],
  thinkLevel: ["rewriteParams"],
  reasoningLevel: ["rewriteParams"],
  temperature: ["rewriteParams"],
};

/**
 * Shows hooks a message, or the parameters of a request to the model. Each hook sees the changes of those before it. A hook
 * that fails is reported, and the changes of the others stay.
 */
export async function passExchange<Result extends MessageEventResult | ParamsEventResult>(
  host: HostInside,
  event: MessageEvent | ParamsEvent,
): Promise<Result | undefined> {
  const { type } = event;
  const about = event.agentId ?? "";
  const listening = ordered(host, (hook) => hook.handles(type));
  let result: Record<string, unknown> | undefined;
  for (const hook of await inPriorityOrder(host, listening, type, about)) {
    const shown = { ...event, metadata: event.metadata ?? {}, ...result };
    const visit = (_hook: Hook, outcome: Outcome): undefined => {
      reportOutcome(host, hook, event, outcome);
      const given = allowed(host, hook, shown, outcome);
      if (given) {
        result = { ...result, ...given };
        host.reporter.audit({ hook: hook.id, event: type, value: Object.keys(given).join(" "), outcome: "rewrite" });
      } else if ("verdict" in outcome) host.reporter.passed([hook], type, about);
      return undefined;
    };
    await host.dispatcher.each([hook], shown, visit, { gate: afterSession(host) });
  }
  return result as Result | undefined;
}

/** The parts of a result that change what the hook was shown, and that its grant covers; `undefined` if none is left. */
function allowed(
  host: HostInside,
  hook: Hook,
  shown: MessageEvent | ParamsEvent,
  outcome: Outcome,
): Record<string, unknown> | undefined {
  const { type } = shown;
  const changes = changesIn(host, shown, givenBy<Record<string, unknown>>(outcome) ?? {});
  const parts = Object.entries(changes ?? {}).filter(([part]) => {
    const rights = RIGHTS[part] ?? [];
    if (rights.some((right) => hook.may(right))) return true;
    host.reporter.refuse(hook, type, { right: rights[0] ?? part }, `its change of the ${part} was dropped`);
    return false;
  });
  if (parts.length === 0) return undefined;
  return Object.fromEntries(
    parts.map(([part, value]) => [part, typeof value === "string" ? cleanText(value, MAX_MESSAGE) : value]),
  );
}
