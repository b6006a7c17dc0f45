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

/** A bundle that fails in the same way in every event: in the way that the event names by its number, or in the first. */
export function sourceOf(attacks: readonly Pick<Attack, "body">[]): string {
  const bodies = attacks.map(({ body }) => `async (event: any, ctx: any, pi: any): Promise<any> => {\n${body}\n}`);
  return `const attacks = [\n${bodies.join(",\n")}\n];
export default function (pi: any) {
  const attack = (event: any, ctx: any): Promise<any> =>
    (attacks[event.turnIndex ?? event.input.attack] ?? (attacks[0] as any))(event, ctx, pi);
  for (const type of ["turn_start", "tool_call", "tool_result"]) pi.on(type, attack);
}
`;
}
