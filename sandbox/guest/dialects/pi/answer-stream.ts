import { forHook, hookPromise, parse } from "../../core/primordials.ts";
import type { Agent } from "./agent.ts";

/** What a model answers, as one of pi's streams. The answer comes whole: there is one event, at its end. */
export function answerStream(agent: Agent, model: unknown, context: unknown, options?: object): object {
  const answer = agent.complete(model, context, options).then(eventOf, (error) => eventOf(failedAnswer(model, error)));
  const event = hookPromise(answer) as Promise<AnswerEvent>;
  // As with pi's own, what was read is not read again.
  const events = oneOf(agent, event);
  return Object.freeze(
    forHook({
      result: () => agent.after(event, (given) => (given as AnswerEvent).message ?? (given as AnswerEvent).error),
      [Symbol.asyncIterator]: () => events,
    }),
  );
}

interface AnswerEvent {
  readonly type: "done" | "error";
  readonly reason: string;
  readonly message?: unknown;
  readonly error?: unknown;
}

function eventOf(message: unknown): AnswerEvent {
  const { stopReason: reason = "stop" } = Object(message) as { stopReason?: string };
  return reason === "error" || reason === "aborted"
    ? forHook({ type: "error", reason, error: message })
    : forHook({ type: "done", reason, message });
}

/** Goes once through one event. */
function oneOf(agent: Agent, event: Promise<AnswerEvent>): object {
  let isOver = false;
  const end = (): Promise<unknown> => {
    isOver = true;
    return agent.after(event, () => forHook({ done: true, value: undefined }));
  };
  return forHook({
    next: () => {
      if (isOver) return end();
      isOver = true;
      return agent.after(event, (value) => forHook({ done: false, value }));
    },
    return: end,
    [Symbol.asyncIterator](): object {
      return this;
    },
  });
}

/** The message of an assistant that could not answer. */
function failedAnswer(model: unknown, error: unknown): object {
  const { id, provider, api } = Object(model) as Record<string, unknown>;
  const counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const cost = forHook({ ...counts, total: 0 });
  return forHook({
    role: "assistant",
    content: parse("[]"),
    api,
    provider,
    model: id,
    usage: forHook({ ...counts, totalTokens: 0, cost }),
    stopReason: "error",
    errorMessage: String((Object(error) as { message?: unknown }).message ?? error),
    timestamp: Date.now(),
  });
}
