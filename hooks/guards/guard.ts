/** A guard for `cordon/interceptors`: an interceptor of `tool.before` that may block the call. */
export type Guard = {
  id: string;
  name: "tool.before";
  priority: number;
  toolMatcher: RegExp;
  handler(
    input: { toolName: string; toolCallId: string },
    output: { args: Record<string, unknown>; block?: boolean; blockReason?: string },
  ): void;
};

/** @param reasonOf why a call with these arguments must be blocked, or undefined if it may run */
export function guard(
  id: string,
  priority: number,
  toolMatcher: RegExp,
  reasonOf: (args: Record<string, unknown>) => string | undefined,
): Guard {
  const handler: Guard["handler"] = (_input, output) => {
    const reason = reasonOf(output.args);
    if (reason === undefined) return;
    output.block = true;
    output.blockReason = reason;
  };
  return { id, name: "tool.before", priority, toolMatcher, handler };
}
