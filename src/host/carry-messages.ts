import type { BusMessage, Channels } from "../powers/channels.ts";
import type { Hook } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import type { Dispatcher } from "../verdicts/dispatcher.ts";

/** Most messages that wait for one hook. The rest are lost: a hook that is slow to listen costs the host no more. */
const MAX_WAITING = 100;

interface Deps {
  readonly hooks: readonly Hook[];
  readonly dispatcher: Dispatcher;
  readonly reporter: Reporter;
}

/**
 * Brings messages of the bus to hooks, to each one after the other. Nobody waits for it: a listener that is slow, or fails,
 * keeps neither the sender nor a tool call waiting.
 */
export function carryMessages(channels: Channels, { hooks, dispatcher, reporter }: Deps): void {
  const waiting = new Map<Hook, BusMessage[]>();

  const carry = async (hook: Hook, queue: BusMessage[]): Promise<void> => {
    for (let message = queue.shift(); message && hook.isUp; message = queue.shift())
      await dispatcher.each([hook], { type: "bus", ...message }, (_hook, outcome) => {
        reporter.reportOutcome(hook, "bus", outcome);
        return undefined;
      });
    waiting.delete(hook);
  };

  channels.carriedBy((id, message) => {
    const hook = hooks.find((one) => one.id === id);
    if (!hook?.isUp) return;
    const queue = waiting.get(hook);
    if (!queue) {
      const started = [message];
      waiting.set(hook, started);
      carry(hook, started).catch((error: Error) => {
        waiting.delete(hook);
        reporter.log({ level: "error", text: `a message for hook ${hook.name} was lost: ${error.message}` });
      });
    } else if (queue.length < MAX_WAITING) queue.push(message);
    else reporter.audit({ hook: id, capability: "bus", value: message.channel, outcome: "RATE_LIMITED" });
  });
}
