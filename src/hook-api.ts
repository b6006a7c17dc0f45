import type { Shown } from "../sandbox/wire/choices.ts";
import type { Palette } from "../sandbox/wire/screens.ts";
import type { AgentValue, ImageContent, TextContent } from "./agent-values.ts";
import type { ExtensionEvent } from "./extension-events.ts";
import type { CustomOptions, HookEditor, HookScreen, MountOptions } from "./hook-screen.ts";

export type { ImageContent, TextContent } from "./agent-values.ts";
export type { ExtensionEvent, ExtensionEventResult } from "./extension-events.ts";

/** What a hook author imports from `cordon/hooks`: pi's types and type guards (its `HookAPI`). */

export interface ExecOptions {
  signal?: AbortSignal;
  /** ms */
  timeout?: number;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  /** Ended by its timeout or signal. */
  killed: boolean;
}

/** The hook whose text a dialog shows: for user interfaces that show both separately. */
export interface DialogOrigin {
  hook: string;
  /** The title without the hook's name and the marks of its lines. */
  title: string;
  /** The message or placeholder without those marks. */
  text?: string;
  /** The event in whose handler the hook asks, as far as hooks may see it. None if it asks at another time. */
  event?: { type: string; [field: string]: AgentValue };
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** The agent's user interface. Titles come with the hook's name before them. */
export interface HookUIContext {
  /** The chosen option, or null if cancelled. */
  select(title: string, options: string[], origin?: DialogOrigin): Promise<string | null>;
  confirm(title: string, message: string, origin?: DialogOrigin): Promise<boolean>;
  /** The text, or null if cancelled. */
  input(title: string, placeholder?: string, origin?: DialogOrigin): Promise<string | null>;
  notify(message: string, type?: "info" | "warning" | "error", origin?: DialogOrigin): void;
  /** Hears notices while there is nobody to show them to, for a log. Without it they are dropped then. */
  logNotice?(message: string, type?: "info" | "warning" | "error", origin?: DialogOrigin): void;
  /** The edited text, or null if cancelled. */
  editor?(title: string, prefill?: string, origin?: DialogOrigin): Promise<string | null>;
  /**
   * Shows something without a dialog, such as `status` (key, text or null), `widget` (key, lines or null, placement) or
   * `title`. Keys are the hook's own: an agent keeps those of several hooks apart by `origin.hook`.
   */
  show?(what: Shown, args: readonly unknown[], origin?: DialogOrigin): void;
  /** False while the agent hears no answers yet: what is asked about a power then is asked, and not waited for. */
  hearsAnswers?(): boolean;
  /** The text in the person's editor. */
  editorText?(): string;
  /** Shows a hook's component, which has the keyboard until it ends. */
  custom?(screen: HookScreen, options: CustomOptions, origin?: DialogOrigin): void;
  /** Shows a hook's component until it ends. */
  mount?(screen: HookScreen, options: MountOptions, origin?: DialogOrigin): void;
  /** Shows a hook's editor in the place of the agent's own, until it ends or another one is shown. */
  edit?(editor: HookEditor, origin?: DialogOrigin): void;
  /** The colours that the agent's state names. */
  theme?(): Palette | undefined;
}

export interface HookEventContext {
  exec(command: string, args: string[], options?: ExecOptions): Promise<ExecResult>;
  ui: HookUIContext;
  hasUI: boolean;
  cwd: string;
  /** Null for a session that is not kept. */
  sessionFile: string | null;
}

interface SessionEventBase {
  type: "session";
  /** All entries of the session file. Needs the `session` power. */
  entries: AgentValue[];
  sessionFile: string | null;
  previousSessionFile: string | null;
  /** What an extension sees as the reason, where that is finer: `reload`, `threshold`, `fork`. */
  cause?: string;
  /** Where a switch, or the end of this session, leads. */
  targetSessionFile?: string;
}

export type SessionEvent = SessionEventBase &
  (
    | { reason: "start" | "switch" | "clear" | "before_switch" | "before_clear" | "shutdown" }
    | { reason: "branch" | "before_branch"; targetTurnIndex: number; entryId?: string; position?: "before" | "at" }
    | {
        reason: "before_compact";
        cutPoint: { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };
        previousSummary?: string;
        messagesToSummarize: AgentValue[];
        messagesToKeep: AgentValue[];
        tokensBefore: number;
        customInstructions?: string;
        /** What later versions of pi prepared, and the entries of the branch. They need the `session` power. */
        preparation?: AgentValue;
        branchEntries?: AgentValue[];
        willRetry?: boolean;
        model: AgentValue;
        /** Needs the `model` power for the model's provider. */
        resolveApiKey(model: AgentValue): Promise<string | undefined>;
        signal: AbortSignal;
      }
    | {
        reason: "compact";
        compactionEntry: CompactionEntry;
        tokensBefore: number;
        fromHook: boolean;
        willRetry?: boolean;
      }
  );

export interface CompactionEntry {
  type: "compaction";
  timestamp: string;
  summary: string;
  firstKeptEntryIndex: number;
  tokensBefore: number;
}

export interface AgentStartEvent {
  type: "agent_start";
}

export interface AgentEndEvent {
  type: "agent_end";
  messages: AgentValue[];
}

export interface TurnStartEvent {
  type: "turn_start";
  turnIndex: number;
  timestamp: number;
}

export interface TurnEndEvent {
  type: "turn_end";
  turnIndex: number;
  message: AgentValue;
  toolResults: AgentValue[];
}

interface ToolEvent {
  toolName: string;
  toolCallId: string;
  input: Record<string, unknown>;
  invocationState?: unknown;
}

export interface ToolCallEvent extends ToolEvent {
  type: "tool_call";
  /** The call of a tool by which this one was made. */
  parentToolCallId?: string;
  agentId?: string;
  sessionKey?: string;
}

export interface ToolResultEvent extends ToolEvent {
  type: "tool_result";
  content: (TextContent | ImageContent)[];
  details?: AgentValue;
  /** What MCP's tools return beside the content. */
  structuredContent?: AgentValue;
  /** What the tool itself used of a model, in the agent's shape. */
  usage?: AgentValue;
  isError: boolean;
  durationMs?: number;
  error?: string;
}

export interface MessageEvent {
  type: "message";
  text: string;
  metadata: Record<string, unknown>;
  agentId?: string;
  sessionKey?: string;
  provider?: string;
  model?: string;
}

export interface ParamsEvent {
  type: "params";
  provider: string;
  model: string;
  thinkLevel?: string;
  reasoningLevel?: string;
  temperature?: number;
  metadata: Record<string, unknown>;
  message?: string;
  agentId?: string;
  sessionKey?: string;
}

export type HookEvent =
  | ExtensionEvent
  | SessionEvent
  | AgentStartEvent
  | AgentEndEvent
  | TurnStartEvent
  | TurnEndEvent
  | ToolCallEvent
  | ToolResultEvent
  | MessageEvent
  | ParamsEvent;

/** Has the key `block`, or is empty: an object with only other keys is a mistake, and blocks the call. */
export type ToolCallEventResult =
  | {
      block: boolean;
      /** Told to the model. */
      reason?: string;
    }
  | { block?: undefined; reason?: undefined };

export interface MessageEventResult {
  /** Replaces the message. Needs `events.rewriteMessage`. */
  text?: string;
  /** Tags for whoever chooses the parameters of the request. */
  metadata?: Record<string, unknown>;
}

/** Needs `events.rewriteParams`. */
export interface ParamsEventResult {
  thinkLevel?: string;
  reasoningLevel?: string;
  temperature?: number;
}

export interface ToolResultEventResult {
  content?: (TextContent | ImageContent)[];
  details?: unknown;
  /** `null` takes it out. So does a change of `content` that does not say what becomes of it: it holds the same in another form. */
  structuredContent?: unknown;
  isError?: boolean;
}

export interface SessionEventResult {
  cancel?: boolean;
  /** For `before_branch`: branch, but leave the conversation as it is. */
  skipConversationRestore?: boolean;
  /** For `before_compact`. */
  compactionEntry?: CompactionEntry;
  /** The same from an extension, in the shape of later versions of pi. */
  compaction?: { summary: string; firstKeptEntryId?: string; tokensBefore?: number; details?: unknown };
}

export type HookHandler<Event, Result = undefined> = (
  event: Event,
  ctx: HookEventContext,
) => Promise<Result | undefined> | Promise<void> | Result | undefined | void;

export interface HookAPI {
  on(event: "session", handler: HookHandler<SessionEvent, SessionEventResult>): void;
  on(event: "agent_start", handler: HookHandler<AgentStartEvent>): void;
  on(event: "agent_end", handler: HookHandler<AgentEndEvent>): void;
  on(event: "turn_start", handler: HookHandler<TurnStartEvent>): void;
  on(event: "turn_end", handler: HookHandler<TurnEndEvent>): void;
  on(event: "tool_call", handler: HookHandler<ToolCallEvent, ToolCallEventResult>): void;
  on(event: "tool_result", handler: HookHandler<ToolResultEvent, ToolResultEventResult>): void;
  on(event: "message", handler: HookHandler<MessageEvent, MessageEventResult>): void;
  on(event: "params", handler: HookHandler<ParamsEvent, ParamsEventResult>): void;
  /** Puts a message into the session. Needs the `send` power. */
  send(text: string, attachments?: unknown[]): void;
}

export type HookFactory = (pi: HookAPI) => void;

const is =
  (name: string) =>
  (event: { toolName: string }): boolean =>
    event.toolName === name;

export const isBashToolResult = is("bash");
export const isReadToolResult = is("read");
export const isEditToolResult = is("edit");
export const isWriteToolResult = is("write");
export const isGrepToolResult = is("grep");
export const isFindToolResult = is("find");
export const isLsToolResult = is("ls");
