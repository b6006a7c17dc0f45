import type { AgentAct, AgentRead, SessionRead } from "../../sandbox/wire/choices.ts";
import type { AgentState } from "../../sandbox/wire/messages.ts";
import type { OwnPaths } from "../disk/own-paths.ts";
import type { HookUIContext } from "../hook-api.ts";
import type { Runtime } from "../runtime/locate.ts";
import type { ResolveApiKey } from "../supervisor/prepared-event.ts";
import type { AddedList } from "./added-list.ts";
import type { Channels } from "./channels.ts";
import type { Programs } from "./exec-pin.ts";
import type { MakeAgent } from "./lent-agents.ts";
import type { OwnAgents } from "./own-agents.ts";
import type { ProviderConfig } from "./provider-config.ts";
import type { VirtualModel } from "./virtual-model.ts";

/** What a host lends to hooks: the agent's user interface, its session, its models. */
export interface Session {
  readonly cwd: string;
  /** The environment that hooks and their programs see, as far as they were granted. */
  readonly env: NodeJS.ProcessEnv;
  sessionFile: string | null;
  hasUI: boolean;
  ui: HookUIContext;
  send: SendHandler | undefined;
  readonly model: Models | undefined;
  readonly agent: AgentServices | undefined;
  /** Agents that hooks have of their own. */
  readonly agents: OwnAgents;
  /** The bus between hooks. */
  readonly channels: Channels;
  /** The providers of models that hooks added. */
  readonly providers: AddedList<ProviderConfig>;
  /** The models that hooks choose others for, by provider and id. */
  readonly virtualModels: AddedList<VirtualModel>;
  /** The programs that hooks have run or may run, as they were. */
  readonly programs: Programs;
  /** What decides about hooks, which no wildcard of theirs covers. */
  readonly own: OwnPaths;
  /** What sandboxes run on, and the processes of databases; undefined until it was found. */
  runtime: Runtime | undefined;
  /** Folders whose programs are never run for a hook: the working directory and the project. */
  readonly workspaces: readonly string[];
}

/** What the agent lends of its models. */
export interface Models {
  /** API keys by model, where the event brings no way of its own. */
  resolveApiKey?: ResolveApiKey;
  /** An answer of a model, in the agent's own shapes, which are JSON. `options` are the hook's, with a signal. */
  complete?(model: object, context: object, options: { signal: AbortSignal }, origin: { hook: string }): unknown;
  /** The model of that name as JSON, or null. */
  findModel?(provider: string, id: string): unknown;
}

/**
 * What the agent lends of itself. An agent offers what it has; a hook that uses more gets an error that says so. Values are
 * JSON in the shapes of later versions of pi. `origin` says which hook asks.
 */
export interface AgentServices {
  /** What hooks see in `ctx` without asking. Secrets in it reach every hook. */
  state?(): AgentState;
  /**
   * Called for each part of a list that a hook reads, so it should not copy the session. `from`: the index at which the
   * part begins. May return a promise.
   */
  session?: { readonly [Read in SessionRead]?: (argument: string | undefined, from: number) => unknown };
  /** May return promises. */
  read?: { readonly [Read in AgentRead]?: () => unknown };
  act?: { readonly [Act in AgentAct]?: (args: readonly unknown[], origin: { hook: string }) => unknown };
  /** Makes an agent of a hook's own. */
  agents?: MakeAgent;
  /** Names of the providers that the agent has without hooks. A hook takes the place of one only where its grant says so. */
  providers?: readonly string[];
  /** Puts a custom message into the session. Its text begins with the hook's name. */
  sendMessage?(message: CustomMessage, options: SendOptions, origin: { hook: string }): void;
}

export interface CustomMessage {
  customType: string;
  content: unknown;
  display?: boolean;
  details?: unknown;
}

export interface SendOptions {
  triggerTurn?: boolean;
  deliverAs?: "steer" | "followUp" | "nextTurn";
}

/** How a message of an extension's is delivered. `expandPromptTemplates`: it may be a command of the agent's. */
export interface UserMessageOptions {
  deliverAs?: "steer" | "followUp";
  expandPromptTemplates?: boolean;
}

/**
 * Injects a message into the agent's session. The text is cleaned and says which hook it is from; `origin.text` is the text
 * alone.
 */
export type SendHandler = (
  text: string,
  attachments?: unknown[],
  origin?: { hook: string; text: string } & UserMessageOptions,
) => void;

/** What hooks meet where there is nobody to ask (pi's print mode). */
export const NO_UI: HookUIContext = {
  select: async () => null,
  confirm: async () => false,
  input: async () => null,
  notify: () => {},
};
