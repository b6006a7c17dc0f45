/**
 * The types of interceptors as Clawdbot documents them (its page "Interceptors"): registrations, and the arguments of
 * handlers at each of the four points.
 */

export type InterceptorName = "tool.before" | "tool.after" | "message.before" | "params.before";

/** The result that a tool returns to the agent. `details` can be anything that the tool defines. */
export type AgentToolResult<T = unknown> = {
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  details?: T;
  /** All text of `content`. A change of it replaces that text. */
  output?: string;
};

export type MessageBeforeInput = { agentId: string; sessionKey?: string; provider: string; model: string };
export type MessageBeforeOutput = { message: string; metadata: Record<string, unknown> };

export type ParamsBeforeInput = {
  agentId: string;
  sessionKey?: string;
  message: string;
  metadata: Record<string, unknown>;
};
export type ParamsBeforeOutput = {
  provider: string;
  model: string;
  thinkLevel?: string;
  reasoningLevel?: string;
  temperature?: number;
};

export type ToolBeforeInput = { toolName: string; toolCallId: string };
export type ToolBeforeOutput = { args: Record<string, unknown>; block?: boolean; blockReason?: string };

export type ToolAfterInput = { toolName: string; toolCallId: string; isError: boolean };
export type ToolAfterOutput = { result: AgentToolResult };

/** The read-only input of each point. */
export type InterceptorInput = {
  "tool.before": ToolBeforeInput;
  "tool.after": ToolAfterInput;
  "message.before": MessageBeforeInput;
  "params.before": ParamsBeforeInput;
};

/** The output of each point. Handlers change this object. */
export type InterceptorOutput = {
  "tool.before": ToolBeforeOutput;
  "tool.after": ToolAfterOutput;
  "message.before": MessageBeforeOutput;
  "params.before": ParamsBeforeOutput;
};

export type InterceptorRegistration<N extends InterceptorName = InterceptorName> = {
  id: string;
  name: N;
  /** Higher runs first; 0 if left out. */
  priority?: number;
  /** For the two tool points: which tools, by normalised name. */
  toolMatcher?: RegExp;
  /** For the two other points: which agents, by id. */
  agentMatcher?: RegExp;
  handler: (input: InterceptorInput[N], output: InterceptorOutput[N]) => void | Promise<void>;
};

/** A registration for any of the points. */
export type AnyRegistration = { [N in InterceptorName]: InterceptorRegistration<N> }[InterceptorName];

/** Tool names. A `toolMatcher` must match at least one of them. */
export const KNOWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  "read",
  "write",
  "edit",
  "apply_patch",
  "exec",
  "process",
  "memory_search",
  "memory_get",
  "web_search",
  "web_fetch",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "sessions_spawn",
  "session_status",
  "browser",
  "canvas",
  "cron",
  "gateway",
  "message",
  "nodes",
  "agents_list",
  "image",
  "tts",
]);
