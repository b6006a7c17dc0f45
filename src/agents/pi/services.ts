import type { AgentValue } from "../../agent-values.ts";
import type { AgentServices, Models } from "../../powers/lent-session.ts";
import { piAgents } from "./own-agents.ts";
import type { PiContext, PiModel } from "./pi-api.ts";
import type { PiLink } from "./pi-link.ts";
import type { PiSdk } from "./pi-sdk.ts";
import { shownModel } from "./shown-model.ts";
import { themeName } from "./theme.ts";

const text = (value: unknown): string => {
  if (typeof value !== "string") throw new TypeError("a text was expected");
  return value;
};
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
const optional = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** What pi lends to hooks of its session and of itself. `load`: its package. */
export function piServices(link: PiLink, load: () => Promise<PiSdk>): AgentServices {
  const { pi } = link;
  const session = () => link.context.sessionManager;
  return {
    state() {
      try {
        return stateOf(link.context);
      } catch {
        // Between two sessions, pi's context is of neither.
        return {};
      }
    },
    session: {
      branch: (from) => session().getBranch(from),
      entries: () => session().getEntries(),
      entry: (id) => session().getEntry(id ?? ""),
      leafEntry: () => session().getLeafEntry(),
      tree: () => session().getTree(),
      contextEntries: () => session().buildContextEntries(),
      projection: () => session().buildSessionProjection(),
      systemPrompt: () => link.context.getSystemPrompt(),
      systemPromptOptions: () => link.command.getSystemPromptOptions(),
      leafId: () => session().getLeafId(),
      header: () => session().getHeader(),
      label: (id) => session().getLabel(id ?? ""),
      sessionName: () => session().getSessionName(),
      sessionId: () => session().getSessionId(),
      sessionDir: () => session().getSessionDir(),
    },
    read: {
      activeTools: () => pi.getActiveTools(),
      allTools: () => pi.getAllTools(),
      commands: () => pi.getCommands(),
      models: () => link.context.modelRegistry.getAvailable().map(shownModel),
      packageDir: async () => (await load()).getPackageDir(),
      thinkingLevel: () => pi.getThinkingLevel(),
      ...(pi.getSettings ? { settings: () => pi.getSettings?.() } : {}),
    },
    act: acts(link),
    agents: piAgents(link, load),
    sendMessage: (message, options) => void link.sends.sendMessage(message, options),
  };
}

function stateOf(context: PiContext): ReturnType<NonNullable<AgentServices["state"]>> {
  const model = shownModel(context.model);
  const usage = context.getContextUsage();
  return {
    mode: context.mode,
    ...(model ? { model } : {}),
    scopedModels: context.scopedModels.map((scoped: AgentValue) => ({ ...scoped, model: shownModel(scoped.model) })),
    ...(context.thinkingLevel === undefined ? {} : { thinkingLevel: context.thinkingLevel }),
    ...(usage ? { contextUsage: usage } : {}),
    isIdle: context.isIdle(),
    hasPendingMessages: context.hasPendingMessages(),
    isProjectTrusted: context.isProjectTrusted(),
    ...(context.mode === "tui" ? { theme: themeName(context.ui.theme) } : {}),
  };
}

function acts(link: PiLink): NonNullable<AgentServices["act"]> {
  const { pi } = link;
  return {
    appendEntry: ([type, data]) => pi.appendEntry(text(type), data),
    setSessionName: ([name]) => pi.setSessionName(text(name)),
    setLabel: ([entry, label]) => pi.setLabel(text(entry), optional(label)),
    setActiveTools: ([names]) => pi.setActiveTools(texts(names)),
    setModel: ([model]) => {
      const known = modelIn(link, model);
      return known ? pi.setModel(known) : false;
    },
    setThinkingLevel: ([level]) => pi.setThinkingLevel(text(level)),
    abort: () => link.context.abort(),
    compact: ([instructions]) => compacted(link.context, optional(instructions)),
    shutdown: () => link.context.shutdown(),
    reload: () => link.command.reload(),
    waitForIdle: () => link.command.waitForIdle(),
    newSession: ([parent]) => {
      const parentSession = optional(parent);
      return link.command.newSession({
        ...(parentSession === undefined ? {} : { parentSession }),
        withSession: link.replace,
      });
    },
    fork: ([entry, position]) =>
      link.command.fork(text(entry), {
        ...(position === "before" || position === "at" ? { position } : {}),
        withSession: link.replace,
      }),
    switchSession: ([path]) => link.command.switchSession(text(path), { withSession: link.replace }),
    navigateTree: ([target, options]) => link.command.navigateTree(text(target), Object(options)),
  };
}

const compacted = (context: PiContext, instructions: string | undefined): Promise<AgentValue> =>
  new Promise((onComplete, onError) => {
    context.compact({
      ...(instructions === undefined ? {} : { customInstructions: instructions }),
      onComplete,
      onError,
    });
  });

/** The model that pi knows by the name of one that a hook gave: its other members count for nothing. */
function modelIn(link: PiLink, given: unknown): PiModel | undefined {
  const { provider, id } = Object(given) as { provider?: unknown; id?: unknown };
  return link.context.modelRegistry.find(text(provider), text(id));
}

/** What a hook may say about an answer. Other options could lead the request, with its key, to another place. */
const ANSWER_OPTIONS = ["maxTokens", "temperature", "reasoning", "cacheRetention", "sessionId"];

const answerOptions = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([name]) => ANSWER_OPTIONS.includes(name)));

/** The models of pi. The keys stay in pi unless a hook was granted one. */
export function piModels(link: PiLink): Models {
  return {
    resolveApiKey: (model) => link.context.modelRegistry.getApiKeyForProvider(text(Object(model).provider)),
    findModel: (provider, id) => shownModel(link.context.modelRegistry.find(provider, id)) ?? null,
    complete(model, context, options) {
      const known = modelIn(link, model);
      if (!known) throw new Error("pi does not know this model");
      const { signal } = options;
      return link.context.modelRegistry.complete(known, context, { ...answerOptions(options), signal });
    },
  };
}
