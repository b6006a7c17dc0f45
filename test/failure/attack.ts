import type { ErrorCode } from "../../src/base/errors.ts";

/** Events that an attack's code runs in. */
export type Stage = "turn_start" | "tool_call" | "tool_result";

/** One way to fail: what a hook does with an event, and the outcome that must follow. */
export interface Attack {
  name: string;
  /** The body of its handler, with `event`, `ctx` and `pi` in scope. */
  body: string;
  /** The codes that a report or a reason may carry: which limit is reached first depends on the machine. */
  codes: readonly ErrorCode[];
  /** Events to try it in, by default all. Results of observing events are not read, so they cannot be wrong. */
  stages?: readonly Stage[];
  /** What the block's reason must say. By default it names the hook, the code and the command that helps. */
  reason?: RegExp;
}

/** A bundle that fails in the same way in every event. */
export function sourceOf({ body }: Attack): string {
  return `export default function (pi: any) {
  const attack = async (event: any, ctx: any): Promise<any> => {
    ${body}
  };
  for (const type of ["turn_start", "tool_call", "tool_result"]) pi.on(type, attack);
}
`;
}
