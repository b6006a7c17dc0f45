/** The exports of `@mariozechner/pi-ai` that hooks import, besides types. */
import type { ArgumentsOf } from "../../wire/operations.ts";
import { host } from "../node/host.ts";

/** Asks a model through the agent. Resolves with the same value as the agent's own `complete`. A signal aborts it. */
export async function complete(
  model: ArgumentsOf<"model.complete">[0],
  context: object,
  options: { signal?: object } = {},
): Promise<unknown> {
  const { signal, ...plain } = options;
  return host.call("model.complete", [model, context ?? {}, plain], signal);
}

/** A JSON schema for a string that is one of `values`. */
export function StringEnum<T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
) {
  return { type: "string", enum: values, ...options };
}
