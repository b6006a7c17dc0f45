import type { AgentValue } from "../../agent-values.ts";
import type { ImageContent } from "../../hook-api.ts";
import type { PiApi, PiModel, PiTool } from "./pi-api.ts";

/** The part of pi's package that makes an agent within pi, of 0.87 and later. */
export interface PiSdk {
  getAgentDir(): string;
  getPackageDir(): string;
  ModelRegistry: abstract new (...args: never[]) => object;
  SettingsManager: {
    create(cwd: string, agentDir: string, options: { projectTrusted: boolean }): PiSettings;
    inMemory(settings: object, options: { projectTrusted: boolean }): object;
  };
  SessionManager: { inMemory(cwd: string): PiSessionKeeper };
  DefaultResourceLoader: new (options: PiLoaderOptions) => { reload(): Promise<void> };
  createAgentSession(options: PiAgentOptions): Promise<{ session: PiAgentSession }>;
}

interface PiSettings {
  getGlobalSettings(): object;
  getProjectSettings(): object;
}

export interface PiSessionKeeper {
  appendMessage(message: object): unknown;
  buildSessionContext(): { messages: object[] };
}

interface PiSkills {
  skills: object[];
  diagnostics: object[];
}

interface PiLoaderOptions {
  cwd: string;
  agentDir: string;
  settingsManager: object;
  noExtensions: true;
  noSkills: true;
  noPromptTemplates: true;
  noThemes: true;
  noContextFiles: boolean;
  extensionFactories: ((pi: PiApi) => void)[];
  /** pi takes a text given otherwise for the name of a file, if there is one. */
  systemPromptOverride(base: string | undefined): string | undefined;
  appendSystemPromptOverride(base: string[]): string[];
  agentsFilesOverride(base: object): object;
  skillsOverride(base: PiSkills): PiSkills;
}

interface PiAgentOptions {
  cwd: string;
  agentDir: string;
  model: PiModel | undefined;
  thinkingLevel?: string;
  modelRuntime: AgentValue;
  tools: string[];
  customTools: PiTool[];
  resourceLoader: object;
  sessionManager: PiSessionKeeper;
  settingsManager: object;
}

export interface PiAgentSession {
  readonly agent: { readonly state: { messages: object[] } };
  readonly extensionRunner: { hasHandlers(event: string): boolean };
  readonly sessionId: string;
  readonly systemPrompt: string;
  readonly model: PiModel | undefined;
  readonly thinkingLevel: string;
  readonly messages: readonly object[];
  getActiveToolNames(): string[];
  setActiveToolsByName(names: string[]): void;
  setModel(model: PiModel): Promise<void>;
  setThinkingLevel(level: string): void;
  setAutoCompactionEnabled(enabled: boolean): void;
  bindExtensions(bindings: object): Promise<void>;
  subscribe(listener: (event: object) => void): () => void;
  prompt(
    text: string,
    options: {
      expandPromptTemplates: false;
      source: "extension";
      streamingBehavior?: "steer" | "followUp";
      images?: ImageContent[];
    },
  ): Promise<void>;
  abort(): Promise<void>;
  dispose(): void;
}
