import type { ImageContent, TextContent } from "../hook-api.ts";

/** What an agent of a hook's own is made of. What the hook wrote is plain JSON, of checked shapes and lengths. */
export interface AgentSetup {
  /** Names of the lending agent's tools: only those that were granted. */
  readonly tools: readonly string[];
  /** Tools that run in the hook. */
  readonly own: readonly OwnTool[];
  /** If left out, that of the session. */
  readonly model?: ModelName;
  readonly thinkingLevel?: string;
  /** Takes the place of the agent's own instructions. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: readonly string[];
  /** Instructions of files, as texts. If left out, those that the session has. */
  readonly files?: readonly { readonly path: string; readonly content: string }[];
  readonly skills?: readonly AgentSkill[];
  /** Whether a conversation that grows too long is summarised. */
  readonly compacts?: boolean;
}

export interface ModelName {
  readonly provider: string;
  readonly id: string;
}

interface OwnTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: unknown;
}

/** A skill as instructions name it. Nothing reads its file for the hook. */
interface AgentSkill {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  /** The model is not told of it. */
  readonly hidden?: boolean;
}

export interface AgentCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
}

/** A call that was judged: why it is blocked, or the input that is to run, which nobody may change any more. */
export type Judged = { readonly blocked: string } | { readonly input: Record<string, unknown> };

interface Result {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError: boolean;
}

/** A call, and what came of it. */
export type AgentResult = AgentCall & Result;

/** What Cordon does for an agent of a hook's own. */
export interface AgentWatch {
  /** Id of the hook. */
  readonly hook: string;
  /** To be asked before each call of any tool, also one of the hook's. Never rejects. */
  judge(call: AgentCall, signal?: AbortSignal): Promise<Judged>;
  /** To be asked about the result of each call. Returns what takes its place, if something does. Never rejects. */
  pass(result: AgentResult): Promise<Result | undefined>;
  /** Runs a tool of the hook's. Never rejects. */
  runTool(
    call: AgentCall,
    options: { signal?: AbortSignal | undefined; onUpdate?: ((partial: object) => void) | undefined },
  ): Promise<Result>;
  /** To be called with each event of the agent, in the shapes of `AgentSession.subscribe` of pi. */
  onEvent(event: object): void;
}

/** `tools`: some of those that the agent was made with. */
export interface AgentChange {
  readonly model?: ModelName;
  readonly thinkingLevel?: string;
  readonly tools?: readonly string[];
  readonly compacts?: boolean;
}

/** An agent of a hook's own, as the lending agent runs it. */
export interface LentAgent {
  readonly sessionId: string;
  readonly systemPrompt: string;
  /** The names of the tools that it has. */
  readonly tools: readonly string[];
  /** As JSON without secrets. */
  readonly model: unknown;
  readonly thinkingLevel: string;
  /** Its conversation, as it is sent to the model. */
  readonly messages: readonly unknown[];
  /** Replaces the conversation: `state`: as it is sent, `session`: as the agent's session keeps it. */
  setMessages(where: "state" | "session", messages: readonly object[]): void;
  change(change: AgentChange): Promise<void> | void;
  /** Resolves when it is done. The text is the hook's: no command, template or file is read from it. */
  prompt(text: string, options: { deliverAs?: "steer" | "followUp"; images?: readonly ImageContent[] }): Promise<void>;
  /** Resolves when it is idle. */
  abort(): Promise<void>;
  /** Ends it for good, whatever it does. */
  end(): void;
}

/**
 * Makes an agent with nothing but this. It lives in memory, works in the session's folder, and has no extensions. It must ask
 * `watch.judge` before each call of a tool, and run what that returned.
 */
export type MakeAgent = (setup: AgentSetup, watch: AgentWatch) => Promise<LentAgent>;
