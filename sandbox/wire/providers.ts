/** How providers of hooks cross the wire: what answers are made of, and what the agent asks for. */

/** Longest configuration of a provider, as JSON. */
export const MAX_PROVIDER = 500_000;
/** Most providers of one hook. */
export const MAX_PROVIDERS = 20;

/** What a hook's code does for its provider, one at a time. */
export type ProviderAct =
  /** Answers a request of the agent's. */
  | { readonly act: "stream"; readonly model: object; readonly context: object; readonly options: object }
  /** Signs the person in. Its answer is a {@link SignedIn}. */
  | { readonly act: "login" }
  | { readonly act: "refresh"; readonly credentials: object }
  | { readonly act: "apiKey"; readonly credentials: object }
  /** Lists its models anew, as in its configuration. */
  | { readonly act: "models" }
  /** Chooses the model for a request, which has the shape of pi's `ModelRouteRequest`. Its answer is a {@link Route}. */
  | { readonly act: "route"; readonly request: object };

/** How strongly a model thinks, as pi names it. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** The model for one request, and what its router wants to know at the next. */
export interface Route {
  readonly model: { readonly provider: string; readonly id: string };
  readonly thinkingLevel: ThinkingLevel;
  readonly state?: unknown;
}

/** Credentials, and the key in them. */
export interface SignedIn {
  readonly credentials: object;
  readonly apiKey: string;
}

/** What a sign-in shows or asks. */
export const LOGIN_STEPS = ["auth", "deviceCode", "progress", "prompt", "manualCode", "select"] as const;
export type LoginStep = (typeof LOGIN_STEPS)[number];

/** What a hook's answer to a request tells the agent, or lets it change, besides the answer itself. */
export const STREAM_NOTES = ["payload", "response", "event"] as const;
export type StreamNote = (typeof STREAM_NOTES)[number];

export type Block =
  | { type: "text"; text: string; textSignature?: string }
  | { type: "thinking"; thinking: string; thinkingSignature?: string; redacted?: boolean }
  | {
      type: "toolCall";
      id: string;
      name: string;
      arguments: Record<string, unknown>;
      thoughtSignature?: string;
      namespace?: string;
      argumentsError?: string;
    };

/** What an answer ends with. `usage` has pi's shape. */
export interface AnswerEnd {
  readonly content: readonly Block[];
  readonly usage: object;
  readonly responseModel?: string;
  readonly responseId?: string;
  readonly rawStopReason?: string;
  readonly errorMessage?: string;
}

/** A part of an answer. `at`: the index of its block. */
export type AnswerPart =
  | { readonly type: "start" }
  | { readonly type: "text_start" | "thinking_start"; readonly at: number }
  | { readonly type: "toolcall_start"; readonly at: number; readonly id: string; readonly name: string }
  | { readonly type: "text_delta" | "thinking_delta" | "toolcall_delta"; readonly at: number; readonly delta: string }
  | { readonly type: "text_end" | "thinking_end" | "toolcall_end"; readonly at: number; readonly block: Block }
  | { readonly type: "done"; readonly reason: "stop" | "length" | "toolUse"; readonly end: AnswerEnd }
  | { readonly type: "error"; readonly reason: "error" | "aborted"; readonly end: AnswerEnd };
