import type { AgentValue, ImageContent } from "./agent-values.ts";

/** A field that needs `session`, and whose shape is the agent's. */
type Messages = AgentValue[];

/**
 * Events of pi's extensions, named and shaped as in pi 1.5, and of other agents. A grant must name each of them. Texts of the conversation in
 * them need the `session` power.
 */
export type ExtensionEvent =
  | { type: "project_trust"; cwd: string }
  | { type: "resources_discover"; cwd: string; reason: "startup" | "reload" }
  | { type: "session_before_tree"; preparation: AgentValue; signal?: AbortSignal }
  | {
      type: "session_tree";
      newLeafId: string | null;
      oldLeafId: string | null;
      summaryEntry?: AgentValue;
      fromExtension?: boolean;
    }
  | { type: "session_info_changed"; name?: string }
  | {
      type: "session_compact_failed";
      reason: string;
      errorMessage?: string;
      aborted: boolean;
      willRetry: boolean;
      fromExtension: boolean;
    }
  | { type: "context" | "context_with_system"; messages: Messages }
  | { type: "before_provider_request"; payload: unknown }
  | { type: "before_provider_headers"; headers: Record<string, string | null> }
  | { type: "after_provider_response"; status: number; headers: Record<string, string> }
  | { type: "provider_stream_event"; provider: string; api: string; model: string; data: unknown }
  | {
      type: "before_agent_start";
      systemPrompt: string;
      systemPromptOptions?: AgentValue;
      messageType?: "user" | "custom";
      prompt?: string;
      images?: ImageContent[];
      message?: AgentValue;
    }
  | { type: "agent_before_settle"; entries: AgentValue[]; continue: boolean; context?: AgentValue; outcome?: string }
  | { type: "agent_settled"; aborted?: boolean }
  | { type: "ui_prompt_start" | "ui_prompt_end"; reason: string; kind: string; title?: string }
  | { type: "message_start" | "message_end"; message: AgentValue }
  | { type: "message_update"; message: AgentValue; assistantMessageEvent?: AgentValue }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: AgentValue; parentToolCallId?: string }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: AgentValue; partialResult: AgentValue }
  | { type: "tool_execution_end"; toolCallId: string; toolName: string; result: AgentValue; isError: boolean }
  | { type: "model_select"; model: AgentValue; previousModel?: AgentValue; source?: string }
  | { type: "thinking_level_select"; level: string; previousLevel: string }
  | { type: "cache_warming_decision"; action: string; [field: string]: AgentValue }
  | { type: "mcp_servers_change"; servers: AgentValue[] }
  | { type: "user_bash"; command: string; excludeFromContext: boolean; cwd: string }
  | {
      type: "input";
      text: string;
      images?: ImageContent[];
      source: "interactive" | "rpc" | "extension";
      streamingBehavior?: "steer" | "followUp";
    }
  | AgentEvent;

/** Events of agents that run a command for each event, as far as each of them has it. */
type AgentEvent =
  /** The agent would end its turn. `isAgain`: it did so before, and a hook made it go on. */
  | { type: "stop"; isAgain: boolean; lastMessage?: string }
  | { type: "subagent_start"; agentId: string; agentType: string }
  | { type: "subagent_stop"; agentId: string; agentType: string; isAgain: boolean; lastMessage?: string }
  /** The person is about to be asked about a call, which hooks of `tool_call` have judged. */
  | { type: "permission_request"; toolName: string; input: Record<string, unknown> }
  | { type: "notification"; kind: string; message: string; title?: string }
  | { type: "worktree_remove"; path: string };

/** What the hooks decided about an extension event: the members that pi's handlers return, joined. */
export interface ExtensionEventResult {
  trusted?: "yes" | "no" | "undecided";
  remember?: boolean;
  skillPaths?: string[];
  promptPaths?: string[];
  themePaths?: string[];
  cancel?: boolean;
  summary?: AgentValue;
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
  /** `before_agent_start`: messages to add, each begins with the hook's name. `context`: all messages. */
  messages?: AgentValue[];
  payload?: unknown;
  /** Null removes a header. */
  headers?: Record<string, string | null>;
  systemPrompt?: string;
  systemPromptOptions?: AgentValue;
  entries?: AgentValue[];
  continue?: boolean;
  message?: AgentValue;
  action?: string;
  /** `user_bash`: what the agent shows instead of running the command. */
  result?: { output: string; exitCode?: number | null; cancelled?: boolean; truncated?: boolean };
  text?: string;
  images?: ImageContent[];
  /** `stop`, `subagent_stop`: what the model is told, so that it goes on. */
  followUp?: string;
  /** `subagent_start`: what the subagent is told, too. */
  context?: string;
  /** `permission_request`: why the call does not run. */
  deny?: string;
}
