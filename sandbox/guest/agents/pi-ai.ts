/** What hooks import from `@mariozechner/pi-ai` besides types. */
import type { ArgumentsOf } from "../../wire/operations.ts";
import { host } from "../node/host.ts";

/** Asks a model through the agent. Answers as the agent's own `complete` does; an abort signal ends it. */
export async function complete(
  model: ArgumentsOf<"model.complete">[0],
  context: object,
  options: { signal?: object } = {},
): Promise<unknown> {
  const { signal, ...plain } = options;
  return host.call("model.complete", [model, context ?? {}, plain], signal);
}

/** A JSON schema for one of several texts. */
export function StringEnum<T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
) {
  return { type: "string", enum: values, ...options };
}
