import type { KeptBlock } from "../audit/blocks.ts";
import type { AuditLine } from "../audit/line.ts";
import type { AuditQuery } from "../audit/query.ts";
import { CordonError } from "../base/errors.ts";
import { settingsOf } from "../bundle/plugin-settings.ts";
import type { Branch } from "../bundle/protocol.ts";
import { requiredHooks } from "../grants/policy.ts";
import type { Capabilities } from "../grants/schema.ts";
import type { HookEvent, HookUIContext, ToolCallEvent, ToolResultEvent } from "../hook-api.ts";
import type { SendHandler, Session } from "../powers/lent-session.ts";
import type { Recorder, RecordingState } from "../recording/recorder.ts";
import type { Hook, HookState } from "../session/hook.ts";
import type { HookError } from "../session/hook-error.ts";
import { type HookInfo, infoOf } from "../session/hook-info.ts";
import { checkOptions, type HookHostOptions } from "../session/options.ts";
import type { Reporter } from "../session/reporter.ts";
import { Rescue } from "../session/rescue.ts";
import { type Blocked, WOULD_BLOCK } from "../verdicts/blocked.ts";
import { Dispatcher } from "../verdicts/dispatcher.ts";
import type { EventResult } from "../verdicts/event-result.ts";
import type { HostInside } from "../verdicts/host-inside.ts";
import { auditBlock, type JudgeOptions, type ToolCallOutcome } from "../verdicts/tool-call.ts";
import type { ToolResultOutcome } from "../verdicts/tool-result.ts";
import { type Beginning, begin } from "./begin.ts";
import { carryMessages } from "./carry-messages.ts";
import { Control, type Decided } from "./control.ts";
import { Drawings } from "./drawings.ts";
import { Events } from "./events.ts";
import { HostGrants } from "./host-grants.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Listeners } from "./listeners.ts";
import { Markdown } from "./markdown.ts";
import { Offers } from "./offers.ts";
import { Providers } from "./providers.ts";
import { startRecorder } from "./recording.ts";
import { serveAgents } from "./serve-agents.ts";
import { ToolNames } from "./tool-names.ts";
import { Typing } from "./typing.ts";

/** Runs hooks for one agent session. Made by {@link HookHost.start}; the names are those of pi's `HookRunner`. */
export class HookHost implements AsyncDisposable {
  readonly #session: Session;
  readonly #reporter: Reporter;
  readonly #lifecycle: Lifecycle;
  readonly #inside: HostInside;
  readonly #hooks: readonly Hook[];
  /** What a person should know about the hooks that were found. */
  readonly notices: readonly string[];
  /** The tools, commands, shortcuts and flags that hooks add to the agent. */
  readonly offers: Offers;
  /** The providers of models that hooks add to the agent. */
  readonly providers: Providers;
  /** What hooks draw of messages, entries and tools. */
  readonly drawings: Drawings;
  /** Changes of how messages are shown. */
  readonly markdown: Markdown;
  /** Completers and listeners to keys, of hooks that may read what the person types. */
  readonly typing: Typing;
  /** What each hook may do. */
  readonly grants: HostGrants;
  readonly #control: Control;
  readonly #events: Events;
  readonly #recorder: Recorder | undefined;
  readonly #listeners: Listeners;
  #closed: Promise<void> | undefined;

  /**
   * Finds, builds and loads all hooks. Also resolves if some of them failed: see `hooks`. Rejects with a
   * {@link CordonError} (`BAD_GRANT`) for bad options or grants.
   */
  static async start(options: HookHostOptions): Promise<HookHost> {
    const beginning = begin(checkOptions(options));
    const host = new HookHost(beginning, startRecorder(beginning));
    try {
      await host.#lifecycle.start();
    } catch (error) {
      await host.close();
      throw error;
    }
    return host;
  }

  private constructor(
    { options, home, services, hooks, notices, policies: inForce, hookTimeout }: Beginning,
    recorder: Recorder | undefined,
  ) {
    this.#recorder = recorder;
    const { session, reporter } = services;
    this.notices = notices;
    this.#hooks = hooks;
    const policies = inForce.map(({ policy }) => policy);
    const required = requiredHooks(policies);
    this.#session = session;
    this.#reporter = reporter;
    const listeners = new Listeners(reporter);
    this.#listeners = listeners;
    this.#lifecycle = new Lifecycle({
      hooks,
      home,
      policies,
      start: HookHost.start,
      spare: options.spare ?? true,
      packed: options.packed ?? false,
      services,
      changed: (hook) => listeners.stateOf(hook),
      offered: () => listeners.offers(),
    });
    const dispatcher = new Dispatcher(session, hookTimeout, () => services.decisions.takeRevoked());
    carryMessages(session.channels, { hooks, dispatcher, reporter });
    serveAgents(session.agents, { host: this, hooks, dispatcher, reporter });
    const runs = { hooks, dispatcher, reporter };
    this.offers = new Offers(runs);
    this.providers = new Providers(session, runs);
    for (const list of [session.providers, session.virtualModels]) list.whenChanged(() => listeners.offers());
    this.drawings = new Drawings(runs);
    this.markdown = new Markdown(runs);
    this.typing = new Typing(runs);
    this.grants = new HostGrants(hooks, policies, services);
    const names = new ToolNames(options.toolNames);
    const restart = (hook: Hook): Promise<void> => this.#lifecycle.restart(hook);
    const leaveOut = (hook: Hook): Promise<void> => this.#lifecycle.leaveOut(hook);
    this.#control = new Control({ hooks, home, grants: this.grants, services, restart, leaveOut });
    this.#inside = {
      hooks,
      dispatcher,
      rescue: new Rescue(session, services.decisions, restart, leaveOut),
      reporter,
      restarts: this.#lifecycle,
      monitors: ({ id }) => reporter.isMonitoring && !required.includes(id),
      isRehearsal: services.pretence !== undefined,
      sessionStart: undefined,
    };
    this.#events = new Events({
      inside: this.#inside,
      names,
      policies: inForce,
      isWhole: options.trial !== "alone",
      looks: options.discover !== false,
      decisions: services.decisions,
      recorder,
    });
  }

  get hooks(): readonly HookInfo[] {
    return this.#hooks.map(infoOf);
  }

  /** The states of the hooks that no person disabled: less than `hooks`, and often asked for. */
  get states(): readonly HookState[] {
    return this.#hooks.filter(({ disabled }) => !disabled).map(({ state }) => state);
  }

  /** Whether any hook hears events of this type. Costs no round trip. */
  hasHandlers(type: string): boolean {
    return this.#events.isWanted(type);
  }

  /** The recording of this session, while there is one. */
  get recording(): RecordingState | undefined {
    return this.#recorder?.state;
  }

  /**
   * Sends an event to the hooks and resolves with their combined result. Errors go to `onError`. Rejects only for an event
   * that does not exist: its result would be lost.
   */
  emit(event: HookEvent): Promise<EventResult | undefined> {
    return this.#events.emit(event);
  }

  /** Asks the hooks about a tool call. Never rejects for a hook's fault: every failure blocks. */
  emitToolCall(event: ToolCallEvent, options?: JudgeOptions): Promise<ToolCallOutcome> {
    return this.#events.emitToolCall(event, options);
  }

  /** Like `emit` for a tool's result. Also returns the ids of the hooks that changed it. */
  emitToolResult(event: ToolResultEvent): Promise<ToolResultOutcome> {
    return this.#events.emitToolResult(event);
  }

  /** Whether hooks only monitor now. */
  get isMonitoring(): boolean {
    return this.#reporter.isMonitoring;
  }

  /**
   * Takes a block of the agent's adapter's own, such as of a change that its agent cannot carry out. `hook`: whose wish it is. True
   * if the block holds: not where hooks only monitor.
   */
  holds(toolName: string, { hook: id, reason }: Pick<Blocked, "hook" | "reason">): boolean {
    const hook = this.#hooks.find((one) => one.id === id);
    const isHeld = !(hook && this.#inside.monitors(hook));
    auditBlock(this.#inside, id, `${toolName}: ${reason}`, isHeld ? "block" : WOULD_BLOCK);
    return isHeld;
  }

  /** The id of a hook that guards the results of a tool, if there is one. */
  resultGuard(tool: string): string | undefined {
    return this.#hooks.find((hook) => hook.state !== "pending" && !hook.disabled && hook.mayFor("guardResult", tool))
      ?.id;
  }

  /** Rebuilds and restarts a hook, or all hooks that are stopped, failed or changed. Resolves when that is done. */
  async reload(id?: string): Promise<void> {
    const hooks = this.#hooks.filter((hook) =>
      id === undefined ? hook.isDown || (hook.changed !== undefined && !hook.disabled) : hook.id === id,
    );
    if (id !== undefined && hooks.length === 0) throw new CordonError("BAD_GRANT", `no hook has the id ${id}`);
    if (hooks.some((hook) => hook.disabled))
      throw new CordonError("BAD_GRANT", `${id} was disabled by a person, and reload does not undo that: enable does`);
    await Promise.all(hooks.map((hook) => this.#lifecycle.restart(hook)));
  }

  /** Powers that a hook's code seems to use. */
  uses(id: string): readonly string[] {
    return this.#hooks.find((hook) => hook.id === id)?.bundle?.uses ?? [];
  }

  /** The counted branches of a hook's own code, and whether each ran. Empty where nobody counts: see {@link Pretence.branches}. */
  branches(id: string): readonly (Branch & { ran: boolean })[] {
    const hook = this.#hooks.find((hook) => hook.id === id);
    return (hook?.bundle?.branches ?? []).map((branch, at) => ({ ...branch, ran: hook?.reached.has(at) === true }));
  }

  /** What a hook's own code names of pi's API, tried or not. */
  written(id: string): Capabilities {
    return this.#hooks.find((hook) => hook.id === id)?.bundle?.written ?? {};
  }

  /** Absolute paths of the files in a hook's bundle: its own, those of packages, and Cordon's. */
  sources(id: string): readonly string[] {
    return this.#hooks.find((hook) => hook.id === id)?.positions?.files ?? [];
  }

  /** Modules that Cordon provides to a hook. */
  imports(id: string): readonly string[] {
    return this.#hooks.find((hook) => hook.id === id)?.bundle?.imports ?? [];
  }

  /** Files of packages that a hook's bundle carries, relative to the hook's folder. */
  carries(id: string): readonly string[] {
    return this.#hooks.find((hook) => hook.id === id)?.bundle?.carries ?? [];
  }

  /** Modules and names that a hook imports and cannot have. */
  lacks(id: string): readonly string[] {
    return this.#hooks.find((hook) => hook.id === id)?.bundle?.lacks ?? [];
  }

  /** Names of what a person can set of an OpenClaw plugin, in its grant's `config`. */
  settings(id: string): readonly string[] {
    return settingsOf(this.#hooks.find((hook) => hook.id === id)?.bundle ?? {});
  }

  /** Bytes in use by a hook's isolate; `undefined` if it has none of its own, or does not answer. */
  async memoryOf(id: string): Promise<number | undefined> {
    const hook = this.#hooks.find((one) => one.id === id);
    if (!hook?.hosting || hook.trusted) return undefined;
    const bytes = await hook.hosting.supervisor.measure(hook.hosting.isolate);
    hook.memory = bytes;
    return bytes;
  }

  /** The hooks, with the memory that each uses now. */
  async measure(): Promise<readonly HookInfo[]> {
    await Promise.all(this.#hooks.map(({ id }) => this.memoryOf(id)));
    return this.hooks;
  }

  /**
   * Asks the person for one power (or `limits`) for a hook, as its manifest asks for it or as `value` says, and resolves with their
   * answer. Rejects with `BAD_GRANT` for what cannot be granted, and where there is nobody to ask.
   */
  grant(id: string, power: string, value?: unknown): Promise<Decided> {
    return this.#control.grant(id, power, value);
  }

  /** Takes a power, or all powers, from a hook, also for later sessions. Needs no person. What makes it a guard stays. */
  revoke(id: string, power?: string): Promise<void> {
    return this.#control.revoke(id, power);
  }

  /** Asks the person whether a hook may be left out of this session. Resolves with whether it is. Rejects where there is nobody. */
  disable(id: string): Promise<boolean> {
    return this.#control.disable(id);
  }

  /** Starts a disabled hook anew. Needs no person. */
  enable(id: string): Promise<void> {
    return this.#control.enable(id);
  }

  /** Lines of the audit of this home, oldest first: the newest 1000 unless the query says otherwise. */
  audit(query: AuditQuery = {}): Promise<AuditLine[]> {
    return this.#control.audit(query);
  }

  /** The last call that was blocked in this session, with its input. */
  get lastBlock(): KeptBlock | undefined {
    return this.#reporter.lastBlock;
  }

  setUIContext(ui: HookUIContext, hasUI: boolean): void {
    this.#session.ui = ui;
    this.#session.hasUI = hasUI;
  }

  setSessionFile(path: string | null): void {
    this.#session.sessionFile = path;
  }

  setSendHandler(handler: SendHandler): void {
    this.#session.send = handler;
  }

  /** As configured, in load order. */
  getHookPaths(): string[] {
    return this.#hooks.map((hook) => hook.path);
  }

  /** Returns the function that ends the subscription. */
  onError(listener: (error: HookError) => void): () => void {
    return this.#reporter.onError(listener);
  }

  /** Listens to changes of hooks' states. Returns the function that ends the subscription. */
  onState(listener: (hook: HookInfo) => void): () => void {
    return this.#listeners.onState(listener);
  }

  /** Listens to changes of `offers`. Returns the function that ends the subscription. */
  onOffers(listener: () => void): () => void {
    return this.#listeners.onOffers(listener);
  }

  /** Ends all sandbox processes. Leaves no process, timer or descriptor behind. */
  close(): Promise<void> {
    this.#listeners.close();
    this.#events.close();
    this.#reporter.end();
    this.#closed ??= this.#lifecycle
      .close()
      .then(() => this.#recorder?.close())
      .then(() => this.#reporter.close());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
