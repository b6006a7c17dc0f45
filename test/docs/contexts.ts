/** What a block of TypeScript takes for granted, by the word `with` or `agent` of its info string. */
export const CONTEXTS: ReadonlyMap<string, string> = new Map([
  ["embed", 'import type { AgentTool } from "cordon";\ndeclare const agentTools: AgentTool[];'],
  [
    "host",
    `import type { AgentTool, HookUIContext } from "cordon";
declare const agentTools: AgentTool[];
declare const { select, confirm, input, notify }: HookUIContext;
declare const entries: unknown[];
declare const sessionFile: string | null;`,
  ],
  [
    "judge",
    `import { HookBlockedError, type HookHost } from "cordon";
declare const host: HookHost;
declare const signal: AbortSignal;
declare const myTools: Record<string, unknown>;`,
  ],
  [
    "ai",
    'import type { LanguageModel, ToolSet } from "ai";\ndeclare const model: LanguageModel, prompt: string, tools: ToolSet;',
  ],
  [
    "langchain",
    'import type { CreateAgentParams } from "langchain";\ndeclare const { model, tools }: Required<CreateAgentParams>;',
  ],
  [
    "strands",
    'import type { AgentConfig } from "@strands-agents/sdk";\ndeclare const { model, tools }: Required<AgentConfig>;',
  ],
  [
    "extensions",
    `import type { AgentServices, AgentTool } from "cordon";
declare const cwd: string;
declare const agent: AgentServices;
declare const agentTools: AgentTool[];
declare const session: { setTools(tools: AgentTool[]): void };`,
  ],
]);
