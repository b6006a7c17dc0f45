/** The blocks of agents that read a reason only from a command's output: the shim writes them when all else has failed. */
const JSON_BLOCKS: Readonly<Record<string, (reason: string) => object>> = {
  cline: (reason) => ({ cancel: true, errorMessage: reason }),
  "copilot-cli": (reason) => ({ permissionDecision: "deny", permissionDecisionReason: reason }),
  antigravity: (reason) => ({ decision: "deny", reason }),
};

/** The event before a person is asked about a call. A command that ends with 2 decides nothing there. */
export const PERMISSION = "PermissionRequest";

export const permissionDenied = (message: string): object => ({
  hookSpecificOutput: { hookEventName: PERMISSION, decision: { behavior: "deny", message } },
});

/** The agents whose blocks are JSON. */
export const BLOCKED_BY_JSON: readonly string[] = Object.keys(JSON_BLOCKS);

/** How a call is blocked without knowing anything of it: 2 and the reason, or the agent's own JSON and 0. */
export function plainBlock(agent: string, event: string, reason: string): { exit: 0 | 2; text: string } {
  const own = Object.hasOwn(JSON_BLOCKS, agent) ? JSON_BLOCKS[agent] : undefined;
  const json = own ?? (event === PERMISSION ? permissionDenied : undefined);
  return json ? { exit: 0, text: JSON.stringify(json(reason)) } : { exit: 2, text: reason };
}
