import { AssistantMessageEventStream } from "@earendil-works/pi-ai/dist/utils/event-stream.js";
import type { ArgumentsOf } from "../../../wire/operations.ts";
import { host } from "../../node/host.ts";

type Model = ArgumentsOf<"model.complete">[0];

interface Options {
  signal?: object;
  [name: string]: unknown;
}

/** Asks a model through the agent. Resolves with the same value as the agent's own `complete`. A signal aborts it. */
export async function complete(model: Model, context: object, options: Options = {}): Promise<unknown> {
  const { signal, ...rest } = options;
  // The agent has its own headers, and a function cannot be sent. A key is one that the hook was granted.
  const { headers: _headers, env: _env, ...others } = rest;
  const plain = Object.fromEntries(Object.entries(others).filter(([, value]) => typeof value !== "function"));
  return host.call("model.complete", [model, context ?? {}, plain], signal);
}

/** The same as a stream of events. The answer comes whole: there is one event, at its end. */
export function stream(model: Model, context: object, options?: Options): AssistantMessageEventStream {
  const events = new AssistantMessageEventStream();
  complete(model, context, options).then(
    (message) => {
      const { stopReason } = message as { stopReason?: string };
      if (stopReason === "error" || stopReason === "aborted")
        events.push({ type: "error", reason: stopReason, error: message });
      else events.push({ type: "done", reason: stopReason ?? "stop", message });
      events.end();
    },
    (error) => {
      events.push({ type: "error", reason: "error", error: failed(model, error) });
      events.end();
    },
  );
  return events;
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

/** The message of an assistant that could not answer. */
function failed(model: Model, error: unknown): object {
  const { id, provider, ...rest } = model as { id?: string; provider: string; api?: string };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [],
    api: rest.api,
    provider,
    model: id,
    usage: { ...NOTHING, cost },
    stopReason: "error",
    errorMessage: error instanceof Error ? error.message : String(error),
    timestamp: Date.now(),
  };
}
