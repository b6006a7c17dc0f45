import type { AgentValue } from "../../agent-values.ts";
import type { AgentSetup, AgentWatch, LentAgent, MakeAgent, ModelName } from "../../powers/lent-agents.ts";
import { putFrozen } from "./frozen-input.ts";
import type { PiApi, PiModel, PiTool } from "./pi-api.ts";
import type { PiLink } from "./pi-link.ts";
import type { PiAgentSession, PiSdk, PiSessionKeeper } from "./pi-sdk.ts";
import { shownModel } from "./shown-model.ts";
import { toolSchema } from "./tool-schema.ts";

/**
 * Settings of a person's that an agent of a hook's does not get: what would be loaded into it, and what would cost a person
 * money while it rests.
 */
const NOT_ITS_OWN = new Set(["packages", "extensions", "skills", "prompts", "themes", "mcpServers", "cacheWarming"]);

/** Makes agents within pi, for hooks: in memory, in the session's folder, without extensions but the one that asks the gates. */
export function piAgents(link: PiLink, load: () => Promise<PiSdk>): MakeAgent {
  return async (setup, watch) => {
    const sdk = await load();
    const { cwd, modelRegistry } = link.context;
    // Another copy of pi has other settings, models and tools than the one that runs.
    if (!(modelRegistry instanceof sdk.ModelRegistry)) throw new Error("this pi does not hand out its own package");
    const agentDir = sdk.getAgentDir();
    const projectTrusted = link.context.isProjectTrusted();
    const stored = sdk.SettingsManager.create(cwd, agentDir, { projectTrusted });
    const settings = Object.entries({ ...stored.getGlobalSettings(), ...stored.getProjectSettings() });
    const own = Object.fromEntries(settings.filter(([name]) => !NOT_ITS_OWN.has(name)));
    const settingsManager = sdk.SettingsManager.inMemory(own, { projectTrusted });
    const resourceLoader = new sdk.DefaultResourceLoader({
      cwd,
      agentDir,
      settingsManager,
      noExtensions: true,
      noSkills: true,
      noPromptTemplates: true,
      noThemes: true,
      noContextFiles: setup.files !== undefined,
      extensionFactories: [(pi) => askGates(pi, watch)],
      systemPromptOverride: (base) => setup.systemPrompt ?? base,
      appendSystemPromptOverride: (base) => (setup.appendSystemPrompt ? [...setup.appendSystemPrompt] : base),
      agentsFilesOverride: (base) => (setup.files ? { agentsFiles: [...setup.files] } : base),
      skillsOverride: ({ diagnostics }) => ({ skills: skillsOf(setup), diagnostics }),
    });
    await resourceLoader.reload();
    const sessionManager = sdk.SessionManager.inMemory(cwd);
    const { session } = await sdk.createAgentSession({
      cwd,
      agentDir,
      model: setup.model ? modelOf(link, setup.model) : link.context.model,
      ...(setup.thinkingLevel === undefined ? {} : { thinkingLevel: setup.thinkingLevel }),
      modelRuntime: (modelRegistry as AgentValue).runtime,
      tools: [...setup.tools, ...setup.own.map(({ name }) => name)],
      customTools: setup.own.map((tool) => ownTool(tool, watch)),
      resourceLoader,
      sessionManager,
      settingsManager,
    });
    await session.bindExtensions({});
    if (!["tool_call", "tool_result"].every((event) => session.extensionRunner.hasHandlers(event))) {
      session.dispose();
      throw new Error("this pi lets no gate judge the calls of an agent of a hook's own");
    }
    if (setup.compacts === false) session.setAutoCompactionEnabled(false);
    session.subscribe((event) => watch.onEvent(event));
    return lentAgent(link, session, sessionManager);
  };
}

/** The one extension of such an agent. What was judged is what runs: pi's own object gets it, and is frozen. */
function askGates(pi: PiApi, watch: AgentWatch): void {
  pi.on("tool_call", async ({ toolName, toolCallId, input }, { signal }) => {
    const judged = await watch.judge({ toolName, toolCallId, input }, signal);
    if ("blocked" in judged) return { block: true, reason: judged.blocked };
    putFrozen(input, judged.input);
    return undefined;
  });
  pi.on("tool_result", ({ toolName, toolCallId, input, content, details, isError }) =>
    watch.pass({ toolName, toolCallId, input, content, details, isError }),
  );
}

const ownTool = ({ name, label, description, parameters }: AgentSetup["own"][number], watch: AgentWatch): PiTool => ({
  name,
  label,
  description,
  parameters: toolSchema(Object(parameters)),
  async execute(toolCallId, input, signal, onUpdate) {
    const { isError, ...result } = await watch.runTool({ toolName: name, toolCallId, input }, { signal, onUpdate });
    // pi's tools signal an error by throwing.
    if (isError) throw new Error(result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
    return result;
  },
});

const skillsOf = ({ skills = [] }: AgentSetup): object[] =>
  skills.map(({ name, description, filePath, hidden }) => ({
    name,
    description,
    filePath,
    baseDir: filePath.replace(/[/\\][^/\\]*$/, ""),
    disableModelInvocation: hidden === true,
  }));

function modelOf(link: PiLink, { provider, id }: ModelName): PiModel {
  const { model, modelRegistry } = link.context;
  if (model?.provider === provider && model.id === id) return model;
  const known = modelRegistry.find(provider, id);
  if (!known) throw new Error(`pi does not know the model ${id} of ${provider}`);
  return known;
}

const lentAgent = (link: PiLink, session: PiAgentSession, keeper: PiSessionKeeper): LentAgent => ({
  get sessionId() {
    return session.sessionId;
  },
  get systemPrompt() {
    return session.systemPrompt;
  },
  get tools() {
    return session.getActiveToolNames();
  },
  get model() {
    return shownModel(session.model);
  },
  get thinkingLevel() {
    return session.thinkingLevel;
  },
  get messages() {
    return session.messages;
  },
  setMessages(where, messages) {
    if (where === "state") session.agent.state.messages = [...messages];
    else {
      const kept = keeper.buildSessionContext().messages.length;
      for (const message of messages.slice(kept)) keeper.appendMessage(message);
      session.agent.state.messages = keeper.buildSessionContext().messages;
    }
  },
  async change({ model, thinkingLevel, tools, compacts }) {
    if (model) await session.setModel(modelOf(link, model));
    if (thinkingLevel !== undefined) session.setThinkingLevel(thinkingLevel);
    if (tools) session.setActiveToolsByName([...tools]);
    if (compacts !== undefined) session.setAutoCompactionEnabled(compacts);
  },
  prompt: (text, { deliverAs, images }) =>
    session.prompt(text, {
      expandPromptTemplates: false,
      source: "extension",
      ...(deliverAs ? { streamingBehavior: deliverAs } : {}),
      ...(images ? { images: [...images] } : {}),
    }),
  abort: () => session.abort(),
  end() {
    // It aborts what runs, and pi calls no gate for it any more: what would be asked is blocked.
    session.dispose();
  },
});
