/**
 * The events that pi's hooks do not know: those of its extensions, and those that agents have which run a command for each
 * event. A grant must name each of them: `*` does not cover them. Both sides of the wire read what a handler may decide from
 * this table, and how several decisions become one.
 */

/** The events of pi's hooks, which `*` covers. */
export const HOOK_EVENTS: readonly string[] = [
  "session",
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "tool_call",
  "tool_result",
  "message",
  "params",
];

/** Rights under `events` for the events of extensions. */
export type ExtensionRight = "trustProject" | "rewritePrompt" | "rewriteContext" | "rewriteUserInput";

/** `replace`: the later decision wins, and later handlers see it in the event. `collect`: the lists are joined. */
type Fold = "replace" | "collect";

export interface ExtensionEvent {
  /** Fields with texts of the conversation: reading them needs the `session` power. */
  readonly texts: readonly string[];
  /** The right that a decision needs. */
  readonly right?: ExtensionRight | "compact" | "block";
  /** Members that need another right. */
  readonly rights?: Readonly<Record<string, "cancel">>;
  /** The members of a decision. Without any, what handlers return is ignored, as in pi. */
  readonly decides?: Readonly<Record<string, Fold>>;
  /** The field that handlers change in place. */
  readonly changes?: string;
  /** A decision replaces an earlier one as a whole. */
  readonly whole?: boolean;
}

const heard = (...texts: string[]): ExtensionEvent => ({ texts });

/** A text for the model, by which it goes on. */
const GOES_ON = { right: "rewriteContext", decides: { followUp: "replace" } } as const;

/** Drafts of session entries, and whether the agent goes on. */
const BOUNDARY = { entries: "replace", continue: "replace" } as const;

export const EXTENSION_EVENTS = {
  project_trust: {
    texts: [],
    right: "trustProject",
    decides: { trusted: "replace", remember: "replace" },
    whole: true,
  },
  resources_discover: {
    texts: [],
    right: "rewritePrompt",
    decides: { skillPaths: "collect", promptPaths: "collect", themePaths: "collect" },
  },
  session_before_tree: {
    texts: ["preparation"],
    right: "compact",
    rights: { cancel: "cancel" },
    decides: {
      cancel: "replace",
      summary: "replace",
      customInstructions: "replace",
      replaceInstructions: "replace",
      label: "replace",
    },
    whole: true,
  },
  session_tree: heard("summaryEntry"),
  session_info_changed: heard("name"),
  session_compact_failed: heard(),
  context: {
    texts: ["messages"],
    right: "rewriteContext",
    decides: { messages: "replace" },
    changes: "messages",
  },
  context_with_system: { texts: ["messages"], right: "rewriteContext", decides: { messages: "replace" } },
  before_provider_request: { texts: ["payload"], right: "rewriteContext", decides: { payload: "replace" } },
  before_provider_headers: {
    texts: [],
    right: "rewriteContext",
    decides: { headers: "replace" },
    changes: "headers",
  },
  after_provider_response: heard(),
  provider_stream_event: heard("data"),
  before_agent_start: {
    texts: ["prompt", "images", "message", "systemPrompt", "systemPromptOptions"],
    right: "rewritePrompt",
    decides: { messages: "collect", systemPrompt: "replace", systemPromptOptions: "replace" },
    changes: "systemPromptOptions",
  },
  agent_before_settle: { texts: ["entries", "context"], right: "rewriteContext", decides: BOUNDARY },
  agent_settled: heard(),
  ui_prompt_start: heard("title"),
  ui_prompt_end: heard("title"),
  message_start: heard("message"),
  message_update: heard("message", "assistantMessageEvent"),
  message_end: { texts: ["message"], right: "rewriteContext", decides: { message: "replace" } },
  tool_execution_start: heard("args"),
  tool_execution_update: heard("args", "partialResult"),
  tool_execution_end: heard("result"),
  model_select: heard(),
  thinking_level_select: heard(),
  cache_warming_decision: { texts: [], right: "rewriteContext", decides: { action: "replace" } },
  mcp_servers_change: heard("servers"),
  user_bash: { texts: ["command"], right: "rewriteUserInput", decides: { result: "replace" }, whole: true },
  input: {
    texts: ["text", "images"],
    right: "rewriteUserInput",
    decides: { action: "replace", text: "replace", images: "replace" },
  },
  stop: { texts: ["lastMessage"], ...GOES_ON },
  subagent_start: { texts: [], right: "rewriteContext", decides: { context: "replace" } },
  subagent_stop: { texts: ["lastMessage"], ...GOES_ON },
  permission_request: { texts: [], right: "block", decides: { deny: "replace" } },
  notification: heard("message", "title"),
  worktree_remove: heard(),
} as const satisfies Record<string, ExtensionEvent>;

/** pi's hooks hear this event, too, but only extensions decide about it. */
const TURN_END: ExtensionEvent = { texts: [], right: "rewriteContext", decides: BOUNDARY };

export type ExtensionEventName = keyof typeof EXTENSION_EVENTS;

export const extensionEvent = (type: string): ExtensionEvent | undefined =>
  Object.hasOwn(EXTENSION_EVENTS, type) ? EXTENSION_EVENTS[type as ExtensionEventName] : undefined;

/** All events that an agent sends. */
export const EVENT_NAMES: readonly string[] = [...HOOK_EVENTS, ...Object.keys(EXTENSION_EVENTS)];

/** What the handlers of an event may decide, also of an event that pi's hooks know. */
export const decisionRules = (type: string): ExtensionEvent | undefined =>
  type === "turn_end" ? TURN_END : extensionEvent(type);

/** The right that a member of a decision needs. */
export const rightFor = (
  { right, rights }: ExtensionEvent,
  member: string,
): ExtensionRight | "compact" | "block" | "cancel" | undefined => rights?.[member] ?? right;

/** Whether a decision is the last word: no later handler is asked. */
export function isFinal(type: string, decision: Readonly<Record<string, unknown>>): boolean {
  switch (type) {
    case "project_trust":
      return decision.trusted !== "undecided";
    case "user_bash":
      return true;
    case "session_before_tree":
      return decision.cancel === true;
    case "input":
      return decision.action === "handled";
    case "permission_request":
      return true;
    default:
      return false;
  }
}

/** Joins a decision with those before it. */
export function fold(
  event: ExtensionEvent,
  before: Readonly<Record<string, unknown>> | undefined,
  decision: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (event.whole || !before) return { ...decision };
  const joined: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(decision)) {
    const earlier = joined[name];
    joined[name] =
      event.decides?.[name] === "collect" && Array.isArray(earlier) ? [...earlier, ...(value as unknown[])] : value;
  }
  return joined;
}

/** The members of a decision that a later handler sees in the event. */
export function seenLater(event: ExtensionEvent, decision: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (event.whole) return {};
  const replaced = Object.entries(decision).filter(
    ([name]) => event.decides?.[name] === "replace" && name !== "action",
  );
  return Object.fromEntries(replaced);
}

/** Why there is a `session` event. */
export const SESSION_REASONS = [
  "start",
  "switch",
  "clear",
  "before_switch",
  "before_clear",
  "shutdown",
  "branch",
  "before_branch",
  "before_compact",
  "compact",
] as const;
