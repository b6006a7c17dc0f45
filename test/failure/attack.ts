import type { ErrorCode } from "../../src/base/errors.ts";

/** Events that an attack's code runs in. */
export type Stage = "turn_start" | "tool_call" | "tool_result";

/** One way to fail: what a hook does when an event reaches it, and what must become of that. */
export interface Attack {
  name: string;
  /** The body of its handler, with `event`, `ctx` and `pi` in scope. */
  body: string;
  /** The codes that a report or a reason may carry: where a limit is met first depends on the machine. */
  codes: readonly ErrorCode[];
  /** Where it is tried; everywhere unless said. Results of observing events are not read, so they cannot be wrong. */
  stages?: readonly Stage[];
  /** What the reason of the block must say; by default it names the hook, the code and the command that helps. */
  reason?: RegExp;
}

/** One bundle that fails in the same way in whichever event reaches it. */
export function sourceOf({ body }: Attack): string {
  return `export default function (pi: any) {
  const attack = async (event: any, ctx: any): Promise<any> => {
    ${body}
  };
  for (const type of ["turn_start", "tool_call", "tool_result"]) pi.on(type, attack);
}
`;
}
