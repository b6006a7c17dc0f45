/** The exports of `@mariozechner/pi-ai` that hooks import, besides types. */
import type { ArgumentsOf } from "../../wire/operations.ts";
import { host } from "../node/host.ts";

/** For the parameters of tools. */
export { Type } from "typebox";

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

/** A UUID that sorts by its time. */
export function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = host.random(10);
  const variant = (8 + (Number.parseInt(random[3] as string, 16) % 4)).toString(16);
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${random.slice(0, 3)}`,
    variant + random.slice(4, 7),
    random.slice(7, 19),
  ].join("-");
}
