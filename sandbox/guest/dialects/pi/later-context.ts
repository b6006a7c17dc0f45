import type { AgentState } from "../../../wire/messages.ts";
import { failure } from "../../core/outcome.ts";
import { forHook, hookPromise, parse } from "../../core/primordials.ts";
import { Agent } from "./agent.ts";
import { answerStream } from "./answer-stream.ts";
import { custom, mount, unmount } from "./components.ts";
import { editorFactory, setEditor } from "./editor.ts";
import { dispatchOf } from "./linked.ts";
import { liveState } from "./live-state.ts";
import { sessionManager } from "./session-manager.ts";
import { themeNamed, themeOf, themesOf } from "./theme.ts";
import { typingOf } from "./typing.ts";

const stateOf = (context: object): AgentState => dispatchOf(context).state;

function agentOf(context: object): Agent {
  const { environment, id } = dispatchOf(context);
  return new Agent(environment, id);
}

/** A function of pi's that cannot be offered, because it hands out an object of the agent's own process. */
const impossible = (name: string, reason: string) => (): never => {
  throw failure("NOT_GRANTED", `${name} cannot be offered to a contained hook: ${reason}`);
};

const IN_PROCESS = "it hands over an object of the agent's process";

/**
 * The members of `ctx` of later versions of pi, but for those of commands. They are on its prototype, so that a hook for 0.27 does
 * not list them.
 */
export const LATER_CONTEXT = Object.freeze(
  forHook<object & ThisType<object>>({
    get mode(): string {
      return stateOf(this).mode ?? (dispatchOf(this).envelope.hasUI ? "rpc" : "print");
    },
    get model(): unknown {
      return liveState(this).model;
    },
    get scopedModels(): unknown {
      return liveState(this).scopedModels ?? parse("[]");
    },
    get thinkingLevel(): unknown {
      return liveState(this).thinkingLevel;
    },
    get signal(): unknown {
      return dispatchOf(this).abort.signal;
    },
    get sessionManager(): object {
      return sessionManager(dispatchOf(this));
    },
    get modelRegistry(): object {
      return modelRegistry(agentOf(this));
    },
    isProjectTrusted(): boolean {
      return stateOf(this).isProjectTrusted === true;
    },
    isIdle(): boolean {
      return liveState(this).isIdle === true;
    },
    hasPendingMessages(): boolean {
      return liveState(this).hasPendingMessages === true;
    },
    getContextUsage(): unknown {
      return liveState(this).contextUsage;
    },
    get tools(): unknown {
      return agentOf(this).read("allTools");
    },
    getSystemPrompt(): unknown {
      return agentOf(this).session("systemPrompt");
    },
    abort(): void {
      agentOf(this).tell("abort");
    },
    shutdown(): void {
      agentOf(this).tell("shutdown");
    },
    compact(options: { customInstructions?: unknown; onComplete?: unknown; onError?: unknown } = {}): void {
      const { customInstructions, onComplete, onError } = options;
      const call = (next: unknown) => (value: unknown) => (typeof next === "function" ? next(value) : undefined);
      agentOf(this).act("compact", customInstructions).then(call(onComplete), call(onError));
    },
    executeTool(name: unknown, args: unknown, options?: { signal?: unknown }): Promise<unknown> {
      return agentOf(this).callTool(name, args, options);
    },
  }),
);

/** What pi gives to commands alone: they may have the session replaced. Hooks look for these, so others have none. */
export const COMMAND_CONTEXT = Object.freeze(
  Object.setPrototypeOf(
    forHook<object & ThisType<object>>({
      getSystemPromptOptions(): unknown {
        return agentOf(this).session("systemPromptOptions");
      },
      waitForIdle(): Promise<unknown> {
        return agentOf(this).act("waitForIdle");
      },
      reload(): Promise<unknown> {
        return agentOf(this).act("reload");
      },
      newSession(options: { setup?: unknown; withSession?: unknown; parentSession?: unknown } = {}): Promise<unknown> {
        if (options.setup !== undefined) return impossible("ctx.newSession({ setup })", IN_PROCESS)();
        return replaced(this, agentOf(this).act("newSession", options.parentSession), options.withSession);
      },
      fork(entryId: unknown, options: { position?: unknown; withSession?: unknown } = {}): Promise<unknown> {
        return replaced(this, agentOf(this).act("fork", entryId, options.position), options.withSession);
      },
      switchSession(path: unknown, options: { withSession?: unknown } = {}): Promise<unknown> {
        return replaced(this, agentOf(this).act("switchSession", path), options.withSession);
      },
      navigateTree(targetId: unknown, options: object = {}): Promise<unknown> {
        return agentOf(this).act("navigateTree", targetId, options);
      },
    }),
    LATER_CONTEXT,
  ),
);

/** Calls `withSession` after the session was replaced. The hook lives on, so its `ctx` does. */
function replaced(context: object, done: Promise<unknown>, withSession: unknown): Promise<unknown> {
  const next = (value: unknown): unknown => {
    if ((value as { cancelled?: unknown } | null)?.cancelled === true || typeof withSession !== "function")
      return value;
    withSession(context);
    return value;
  };
  return agentOf(context).after(done, next);
}

function modelRegistry(agent: Agent): object {
  const lacks = (name: string) => impossible(`ctx.modelRegistry.${name}`, IN_PROCESS);
  const listed = (): unknown => agent.read("models");
  const stream = (model: unknown, context: unknown, options?: object) => answerStream(agent, model, context, options);
  return Object.freeze(
    forHook({
      find: (provider: unknown, id: unknown) => agent.findModel(provider, id),
      // A hook has models to talk with, and no others.
      findOfType: (type: unknown, provider: unknown, id: unknown) =>
        type === "chat" ? agent.findModel(provider, id) : undefined,
      complete: (model: unknown, context: unknown, options?: object) => agent.complete(model, context, options),
      getAll: listed,
      getAvailable: listed,
      getError: () => undefined,
      // The agent's models are asked for each time.
      refresh: () => hookPromise(Promise.resolve(forHook({ aborted: false, errors: parse("[]") }))),
      // Providers are the agent's, and no hook is shown how they are made.
      getRegisteredProviderConfig: () => undefined,
      getRegisteredNativeProvider: () => undefined,
      getRegisteredProviderIds: () => parse("[]"),
      getProviderAuthStatus: () => forHook({ configured: true }),
      hasConfiguredAuth: () => true,
      isUsingOAuth: () => false,
      getProviderDisplayName: (provider: unknown) => provider,
      getApiKeyForProvider: (provider: unknown) => agent.apiKey(forHook({ provider })),
      getApiKeyAndHeaders: (model: unknown) =>
        agent.after(agent.apiKey(model), (apiKey) =>
          forHook(
            typeof apiKey === "string" ? { ok: true, apiKey, headers: forHook({}) } : { ok: false, error: "no key" },
          ),
        ),
      // What can be asked of one: its models, and answers of them. Its keys stay with the agent.
      getProvider(id: unknown): unknown {
        const all = listed() as { provider?: unknown }[];
        const getModels = (): unknown => all.filter(({ provider }) => provider === id);
        return all.some(({ provider }) => provider === id)
          ? Object.freeze(forHook({ id, name: id, getModels, stream, streamSimple: stream }))
          : undefined;
      },
      stream,
      streamSimple: stream,
      ...Object.fromEntries(
        ["getProviderAuth", "registerProvider", "unregisterProvider", "classify"].map((name) => [name, lacks(name)]),
      ),
    }),
  );
}

/** The functions of `ctx.ui` that show something without a dialog, and those that draw in the agent's process. */
export const LATER_UI = Object.freeze(
  forHook<object & ThisType<object>>({
    setStatus(key: unknown, text: unknown): void {
      agentOf(this).show("status", key, text);
    },
    setWidget(key: unknown, content: unknown, options: { placement?: unknown } = {}): void {
      const dispatch = dispatchOf(this);
      const name = String(key);
      if (typeof content === "function")
        mount(dispatch, { where: "widget", key: name, given: content, placement: options.placement });
      else {
        unmount(dispatch.environment, "widget", name);
        agentOf(this).show("widget", key, content, options.placement ?? "aboveEditor");
      }
    },
    setTitle(title: unknown): void {
      agentOf(this).show("title", title);
    },
    setWorkingMessage(message: unknown): void {
      agentOf(this).show("workingMessage", message);
    },
    setWorkingVisible(visible: unknown): void {
      agentOf(this).show("workingVisible", visible);
    },
    setWorkingIndicator(options: { frames?: unknown; intervalMs?: unknown } = {}): void {
      agentOf(this).show("workingIndicator", options.frames, options.intervalMs);
    },
    setHiddenThinkingLabel(label: unknown): void {
      agentOf(this).show("thinkingLabel", label);
    },
    setEditorText(text: unknown): void {
      agentOf(this).show("editorText", text);
    },
    pasteToEditor(text: unknown): void {
      agentOf(this).show("paste", text);
    },
    setToolsExpanded(expanded: unknown): void {
      agentOf(this).show("toolsExpanded", expanded);
    },
    getToolsExpanded: () => false,
    editor(title: unknown, prefill?: unknown): Promise<unknown> {
      return agentOf(this).editor(title, prefill);
    },
    getEditorText(): unknown {
      return agentOf(this).editorText();
    },
    custom(factory: unknown, options?: object): Promise<unknown> {
      const dispatch = dispatchOf(this);
      return custom(dispatch, factory, options);
    },
    onTerminalInput(handler: unknown): () => void {
      return typingOf(dispatchOf(this).environment).listen(handler);
    },
    addAutocompleteProvider(factory: unknown): void {
      typingOf(dispatchOf(this).environment).complete(factory);
    },
    setEditorComponent(factory: unknown): void {
      const dispatch = dispatchOf(this);
      setEditor(dispatch, factory);
    },
    getEditorComponent(): unknown {
      return editorFactory(dispatchOf(this).environment);
    },
    setFooter(given: unknown): void {
      const dispatch = dispatchOf(this);
      mount(dispatch, { where: "footer", given });
    },
    setHeader(given: unknown): void {
      const dispatch = dispatchOf(this);
      mount(dispatch, { where: "header", given });
    },
    getAllThemes(): unknown {
      return themesOf(dispatchOf(this));
    },
    getTheme(name: unknown): object | undefined {
      return themeNamed(dispatchOf(this), name);
    },
    setTheme(theme: unknown): object {
      if (typeof theme !== "string") return forHook({ success: false, error: "a hook names a theme, and makes none" });
      agentOf(this).show("theme", theme);
      return forHook({ success: true });
    },
    get theme(): object {
      const dispatch = dispatchOf(this);
      return themeOf(dispatch);
    },
  }),
);
