import type { Drawing } from "./screens.ts";

/** Most tools, commands, shortcuts and flags of one hook. */
export const MAX_REGISTRATIONS = 200;

/** Longest description of one, as JSON. */
export const MAX_DESCRIPTION = 50_000;

/** What an extension adds to the agent. */
export const REGISTRATION_KINDS = [
  "tool",
  "command",
  "shortcut",
  "flag",
  "messageRenderer",
  "entryRenderer",
  "toolRenderer",
  "markdownTransformer",
  "completer",
  "keyListener",
] as const;

/** A name that a model or a person can write, and no terminal obeys. */
export const REGISTERED_NAME = "^[!-~]+$";

/** Where an agent shows Markdown. */
export const MARKDOWN_PLACES = ["user", "assistant", "assistant-thinking", "custom", "summary", "changelog"] as const;

export type MarkdownPlace = (typeof MARKDOWN_PLACES)[number];

/** Longest Markdown that a hook is shown before a person. */
export const MAX_MARKDOWN = 200_000;

/** The name of a renderer that is asked about every tool, and of what hears every key. */
export const ANY_TOOL = "*";

export const ANY_KEY = "*";

export type RegistrationKind = (typeof REGISTRATION_KINDS)[number];

/** How a tool, command, shortcut or flag is described to the agent. All texts are the hook's own. */
export interface Description {
  label?: string;
  description?: string;
  /** JSON Schema of a tool's arguments. */
  parameters?: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  executionMode?: "sequential" | "parallel";
  /** Of a flag. */
  type?: "boolean" | "string";
  default?: boolean | string;
  /** A command completes its arguments. */
  completes?: boolean;
  /** A tool draws its calls, or its results. */
  draws?: readonly ("call" | "result")[];
  /** Characters at which a completer is asked. */
  triggers?: readonly string[];
  /** Which Markdown a transformer is asked about. */
  places?: readonly MarkdownPlace[];
}

/** An event of its own, sent to one hook: run what it registered. */
export interface Run {
  type: "run";
  /**
   * `screen`: a component that is shown, whose number is the name. `agentTool`: a tool of an agent of the hook's own, by the
   * agent's number and its name.
   */
  kind: RegistrationKind | "screen" | "agentTool" | "provider";
  name: string;
  /** `complete`: of a command, complete its arguments. */
  complete?: boolean;
  /** Of a tool. */
  toolCallId?: string;
  /**
   * Of a tool; of a completer, a {@link CompletionQuestion}; of a key listener, what the terminal sent; of a provider, a
   * `ProviderAct`; of a transformer of Markdown, the text and its context.
   */
  params?: unknown;
  /** Of a command. */
  args?: string;
  /** Of a screen or a renderer. */
  drawing?: Drawing;
}
