/** `createAgentSession` of pi: an agent of the hook's own, by the power `agents`. */
import { SessionManager } from "@earendil-works/pi-coding-agent/dist/core/session-manager.js";
import type { ArgumentsOf } from "../../../wire/operations.ts";
import { host, notOffered } from "../../node/host.ts";
import type { Message } from "./agent-mirror.ts";
import { AgentSession, toolKey } from "./agent-session.ts";
import { ModelRuntime } from "./model-runtime.ts";
import { createExtensionRuntime } from "./resource-loader.ts";

type Setup = ArgumentsOf<"agents.create">[0];

interface Tool {
  name: string;
  label?: string;
  description?: string;
  parameters?: unknown;
  execute?: unknown;
}

interface Loader {
  getExtensions?(): { extensions?: unknown[] };
  getSkills?(): {
    skills?: { name: string; description: string; filePath: string; disableModelInvocation?: boolean }[];
  };
  getAgentsFiles?(): { agentsFiles?: { path: string; content: string }[] };
  getSystemPrompt?(): string | undefined;
  getAppendSystemPrompt?(): string[] | undefined;
}

interface Options {
  model?: { provider: string; id: string };
  thinkingLevel?: string;
  /** Names; in older versions of pi, tools. */
  tools?: (string | Tool)[];
  noTools?: "all" | "builtin";
  excludeTools?: string[];
  customTools?: Tool[];
  resourceLoader?: Loader;
  sessionManager?: { buildSessionContext(): { messages: Message[] } };
  modelRuntime?: object;
  settingsManager?: { getCompactionSettings?(): { enabled?: boolean } };
}

/** The tools that pi's agents have. */
const USUAL = ["read", "bash", "edit", "write"];

/**
 * Makes an agent that works beside the person's, in the session's folder and with the session's models. Rejects if it was not
 * granted. Its working folder, its keys and its models are the agent's own, whatever the options say.
 */
export async function createAgentSession(options: Options = {}): Promise<object> {
  const {
    customTools = [],
    resourceLoader,
    sessionManager = SessionManager.inMemory(host.cwd),
    modelRuntime = new ModelRuntime(),
    settingsManager,
  } = options;
  if ((resourceLoader?.getExtensions?.().extensions?.length ?? 0) > 0)
    notOffered("createAgentSession", "resourceLoader with extensions", "an agent of a contained hook runs none")();
  const names = namesOf(options);
  const own = customTools.filter(({ name }) => names.includes(name));
  const made = await host.call("agents.create", [
    {
      tools: names.filter((name) => !own.some((tool) => tool.name === name)),
      own: own.map(({ name, label = name, description = "", parameters }) => ({
        name,
        label: String(label),
        description: String(description),
        parameters: parameters ?? { type: "object", properties: {} },
      })),
      ...(options.model ? { model: { provider: options.model.provider, id: options.model.id } } : {}),
      ...(options.thinkingLevel === undefined ? {} : { thinkingLevel: options.thinkingLevel }),
      ...toldBy(resourceLoader),
      ...(settingsManager?.getCompactionSettings?.().enabled === false ? { compacts: false } : {}),
    },
  ]);
  for (const tool of own) host.agentTool(toolKey(made.agent, tool.name), tool);
  const session = new AgentSession(made, { sessionManager, settingsManager, resourceLoader, modelRuntime, own });
  const { messages } = sessionManager.buildSessionContext();
  if (messages.length > 0) await session.begin(messages);
  return { session, extensionsResult: { extensions: [], errors: [], runtime: createExtensionRuntime() } };
}

function namesOf({ tools, noTools, excludeTools = [], customTools = [] }: Options): string[] {
  const own = customTools.map(({ name }) => name);
  const usual = noTools === "all" ? [] : noTools === "builtin" ? own : [...USUAL, ...own];
  const named = tools?.map((tool) => (typeof tool === "string" ? tool : tool.name)) ?? usual;
  return [...new Set(named)].filter((name) => !excludeTools.includes(name));
}

/** What a loader of resources gives the agent. Without one, it has the session's own. */
function toldBy(loader: Loader | undefined): Partial<Setup> {
  if (!loader) return {};
  const systemPrompt = loader.getSystemPrompt?.();
  const appendSystemPrompt = loader.getAppendSystemPrompt?.();
  const files = loader.getAgentsFiles?.().agentsFiles;
  const skills = loader.getSkills?.().skills;
  return {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    ...(files === undefined ? {} : { files: files.map(({ path, content }) => ({ path, content })) }),
    ...(skills === undefined
      ? {}
      : {
          skills: skills.map(({ name, description, filePath, disableModelInvocation }) => ({
            name,
            description,
            filePath,
            ...(disableModelInvocation ? { hidden: true } : {}),
          })),
        }),
  };
}
