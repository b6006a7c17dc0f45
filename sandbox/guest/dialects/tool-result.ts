import type { Dispatch } from "../core/dispatch.ts";
import { checkCall } from "../core/limits.ts";
import { failure } from "../core/outcome.ts";
import { ignoreRejection, isArray, parse, serialize } from "../core/primordials.ts";

/** What a tool returned, as plain data. */
export function toolResult(returned: unknown): Record<string, unknown> {
  const plain: unknown =
    returned === undefined ? undefined : parse(checkCall(serialize(returned), "the result of a tool"));
  if (typeof plain !== "object" || plain === null || !isArray((plain as { content?: unknown }).content))
    throw failure("BAD_RESULT", "a tool returned something other than { content: [...] }");
  const { content, details, isError, terminate } = plain as Record<string, unknown>;
  return {
    content,
    ...(details === undefined ? {} : { details }),
    ...(isError === true ? { isError } : {}),
    ...(terminate === true ? { terminate } : {}),
  };
}

/** Sends a part of a tool's result. `agents.update`: of a tool of an agent of the hook's own. */
export function sendUpdate(
  { environment, id }: Dispatch,
  operation: "agents.update" | "tools.update",
  partial: unknown,
): void {
  const { content, details } = toolResult(partial);
  const shown = details === undefined ? { content } : { content, details };
  ignoreRejection(environment.remote.call(operation, id, [shown]));
}
