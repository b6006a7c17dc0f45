/** What Cordon's plugin uses of OpenClaw's plugin API (2026.9), and what it is told. */

export interface ToolCallEvent {
  toolName: string;
  params: Record<string, unknown>;
  toolKind?: string;
  runId?: string;
  toolCallId?: string;
}

/** Who an event is about. */
export interface Context {
  agentId?: string;
  sessionKey?: string;
  sessionId?: string;
  runId?: string;
  abortSignal?: AbortSignal;
}

interface Approval {
  title: string;
  description: string;
  pluginId: string;
  /** Not waited for: the call goes on, or does not, as soon as the person answered. */
  onResolution(decision: string): void;
}

export interface Decision {
  params?: Record<string, unknown>;
  block?: boolean;
  blockReason?: string;
  requireApproval?: Approval;
}

export interface PluginApi {
  config: unknown;
  runtime?: { agent?: { resolveAgentWorkspaceDir?(config: unknown, agentId: string): string } };
  /** Its approvals are over before any `before_tool_call` is run. */
  registerTrustedToolPolicy(policy: {
    id: string;
    description: string;
    evaluate(event: ToolCallEvent, context: Context): Promise<Decision | undefined>;
  }): void;
  /** A handler that throws leaves the model without the result. */
  registerAgentToolResultMiddleware(
    handler: (event: object, context: Context) => Promise<{ result: object } | undefined>,
    options: { runtimes: readonly string[] },
  ): void;
  on(
    name: string,
    handler: (event: never, context: Context) => Promise<Decision | undefined>,
    options?: { priority?: number; timeoutMs?: number },
  ): void;
}
