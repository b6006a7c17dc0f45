import type { ToolCalled } from "../../../sandbox/wire/answers.ts";
import type { MarkdownPlace } from "../../../sandbox/wire/registrations.ts";
import type { AgentValue } from "../../agent-values.ts";
import type { ImageContent, TextContent } from "../../hook-api.ts";
import type { MarkdownContext } from "../../host/markdown.ts";
import type { PiComponent, PiRendererContext, PiTheme, PiUi } from "./pi-ui.ts";

/** The part of the extension API of pi 0.87 and later that the adapter uses. pi itself is no dependency. */

type Content = (TextContent | ImageContent)[];

interface PiSession {
  getSessionFile(): string | undefined;
  getSessionId(): string;
  getSessionDir(): string;
  getSessionName(): string | undefined;
  getBranch(from?: string): AgentValue[];
  getEntries(): AgentValue[];
  getEntry(id: string): AgentValue;
  getLeafId(): string | null;
  getLeafEntry(): AgentValue;
  getLabel(id: string): string | undefined;
  getHeader(): AgentValue;
  getTree(): AgentValue[];
  buildContextEntries(): AgentValue[];
  buildSessionProjection(): AgentValue;
}

/** A model, as pi describes it. Its headers may hold keys. */
export interface PiModel {
  provider: string;
  id: string;
  headers?: unknown;
}

interface PiModels {
  find(provider: string, id: string): PiModel | undefined;
  getAvailable(): PiModel[];
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  complete(model: PiModel, context: object, options: object): Promise<object>;
}

/** What pi hands to each handler. It throws once another session has taken the place of its own. */
export interface PiContext {
  readonly ui: PiUi;
  readonly mode: "tui" | "rpc" | "json" | "print";
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionManager: PiSession;
  readonly modelRegistry: PiModels;
  readonly model: PiModel | undefined;
  readonly scopedModels: readonly AgentValue[];
  readonly thinkingLevel?: string;
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  isProjectTrusted(): boolean;
  hasPendingMessages(): boolean;
  abort(): void;
  shutdown(): void;
  getContextUsage(): { tokens: number | null; contextWindow: number; percent: number | null } | undefined;
  getSystemPrompt(): string;
  /** For tools. Not before pi 1.5. */
  executeTool?(name: string, args: unknown, options: { signal: AbortSignal }): Promise<ToolCalled>;
  compact(options?: {
    customInstructions?: string;
    onComplete?: (result: AgentValue) => void;
    onError?: (error: Error) => void;
  }): void;
}

type Replaced = Promise<{ cancelled: boolean }>;
type WithSession = (fresh: PiReplacedContext) => Promise<void>;

/** What pi hands to commands. */
export interface PiCommandContext extends PiContext {
  getSystemPromptOptions(): AgentValue;
  waitForIdle(): Promise<void>;
  reload(): Promise<void>;
  newSession(options: { parentSession?: string; withSession: WithSession }): Replaced;
  fork(entryId: string, options: { position?: "before" | "at"; withSession: WithSession }): Replaced;
  switchSession(path: string, options: { withSession: WithSession }): Replaced;
  navigateTree(targetId: string, options?: object): Replaced;
}

/** What a command goes on with after it replaced the session. */
export interface PiReplacedContext extends PiCommandContext, PiSends {}

interface PiSends {
  sendMessage(message: object, options?: object): unknown;
  sendUserMessage(
    content: string | Content,
    options?: { deliverAs?: "steer" | "followUp"; expandPromptTemplates?: boolean },
  ): unknown;
}

/** An event in pi's shape. Some are changed in place. */
export interface PiEvent {
  readonly type: string;
  [field: string]: AgentValue;
}

export type PiHandler = (event: PiEvent, context: PiContext) => unknown;

interface PiToolResult {
  content: Content;
  details?: unknown;
  terminate?: boolean;
}

export interface PiTool {
  name: string;
  label: string;
  description: string;
  parameters: object;
  promptSnippet?: string;
  promptGuidelines?: string[];
  executionMode?: "sequential" | "parallel";
  execute(
    toolCallId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: AgentValue) => void) | undefined,
    context: PiContext,
  ): Promise<PiToolResult>;
  renderCall?(args: AgentValue, theme: PiTheme, context: PiRendererContext): PiComponent;
  renderResult?(result: PiToolResult, options: object, theme: PiTheme, context: PiRendererContext): PiComponent;
}

type PiRenderer = (value: AgentValue, options: object, theme: PiTheme) => PiComponent | undefined;

export interface PiCommand {
  description?: string;
  getArgumentCompletions?(prefix: string): Promise<{ value: string; label: string }[] | null>;
  handler(args: string, context: PiCommandContext): Promise<void>;
}

type PiNote = (value: unknown, model: PiModel) => unknown;

/** What pi hands to the code of a provider: a model, a transcript, and options. */
export type PiRequest = [
  model: PiModel & { api?: string },
  context: object,
  options?: {
    signal?: AbortSignal;
    onPayload?: PiNote;
    onResponse?: PiNote;
    onProviderStreamEvent?: PiNote;
    [name: string]: unknown;
  },
];

/** pi's dialogs of a sign-in. */
export interface PiLogin {
  onAuth(info: object): void;
  onDeviceCode(info: object): void;
  onPrompt(prompt: { message: string }): Promise<string>;
  onProgress?(message: string): void;
  onManualCodeInput?(): Promise<string>;
  onSelect(prompt: object): Promise<string | undefined>;
  signal?: AbortSignal;
}

type PiCredentials = Record<string, unknown>;

/** A provider's configuration, whose other members are data. */
export interface PiProvider {
  name: string;
  apiKey?: string;
  headers?: Record<string, string>;
  models?: object[];
  streamSimple?(...request: PiRequest): AsyncIterable<object>;
  refreshModels?(context: { signal?: AbortSignal }): Promise<object[]>;
  oauth?: {
    name: string;
    isSubscription?: boolean;
    login(callbacks: PiLogin): Promise<PiCredentials>;
    refreshToken(credentials: PiCredentials, signal?: AbortSignal): Promise<PiCredentials>;
    getApiKey(credentials: PiCredentials): string;
  };
}

/** A model for which `route` chooses another one. The request has models of pi's, and a signal. */
export interface PiVirtualModel {
  provider: string;
  id: string;
  name: string;
  route(request: PiRouteRequest): Promise<{ model: PiModel; thinkingLevel: string; state?: unknown }>;
}

interface PiRouteRequest {
  model: PiModel;
  previous?: { model: PiModel };
  failed?: { model: PiModel };
  signal?: AbortSignal;
}

/** What pi hands to an extension's factory. */
export interface PiApi extends PiSends {
  on(event: string, handler: PiHandler): unknown;
  registerTool(tool: PiTool): void;
  registerProvider(name: string, provider: PiProvider): void;
  unregisterProvider(name: string): void;
  /** These two are not in pi 0.87. */
  registerVirtualModel?(model: PiVirtualModel): void;
  unregisterVirtualModel?(provider: string, id: string): void;
  registerCommand(name: string, command: PiCommand): void;
  registerShortcut(key: string, shortcut: { description?: string; handler(context: PiContext): Promise<void> }): void;
  registerFlag(
    name: string,
    flag: { description?: string; type: "boolean" | "string"; default?: boolean | string },
  ): void;
  getFlag(name: string): boolean | string | undefined;
  registerMessageRenderer(customType: string, renderer: PiRenderer): void;
  /** These two are not in pi 0.87. */
  registerEntryRenderer?(customType: string, renderer: PiRenderer): void;
  registerToolRenderer?(
    resolver: (tool: string, next: () => Pick<PiTool, "renderCall" | "renderResult"> | undefined) => object | undefined,
  ): void;
  registerMarkdownTransformer?(
    transformer: (markdown: string, context: MarkdownContext) => string,
    /** Only pi 1.5 asks about other places than the usual ones. */
    options: { messageTypes: MarkdownPlace[] },
  ): void;
  appendEntry(customType: string, data?: unknown): void;
  setSessionName(name: string): void;
  setLabel(entryId: string, label: string | undefined): void;
  getActiveTools(): string[];
  getAllTools(): AgentValue[];
  setActiveTools(names: string[]): void;
  getCommands(): AgentValue[];
  /** Not before pi 1. */
  getSettings?(): AgentValue;
  setModel(model: PiModel): Promise<boolean>;
  getThinkingLevel(): string;
  setThinkingLevel(level: string): void;
}
