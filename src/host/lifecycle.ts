import { messageOf } from "../base/errors.ts";
import type { BrokerServices } from "../broker/services.ts";
import { BundleCache } from "../bundle/cache.ts";
import { type Policy, trustedFault } from "../grants/policy.ts";
import { locateRuntime, type Runtime } from "../runtime/locate.ts";
import { AgentProcess } from "../session/agent-process.ts";
import type { Hook, HookState } from "../session/hook.ts";
import { restartedSince } from "../session/restart-request.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { Pool } from "../supervisor/pool.ts";
import { Supervisor } from "../supervisor/supervisor.ts";
import type { Restarts } from "../verdicts/host-inside.ts";
import { HookRuntime } from "./hook-runtime.ts";
import { configureTrusted, type LoadDeps, leavePending, loadHook } from "./load-hook.ts";
import { placement } from "./placement.ts";
import type { StartHost } from "./rehearsal.ts";

/** Programs and servers that a hook started end within this time after a revocation, even if no event occurs. */
const LOOK_EVERY_MS = 1000;

/** Sandbox processes that start at once. Dozens would share the cores until none of them is up in time. */
const MAX_STARTS = 8;

interface LifecycleOptions {
  readonly hooks: readonly Hook[];
  readonly home: string;
  readonly policies: readonly Policy[];
  readonly start: StartHost;
  /** Keep a started process ready. */
  readonly spare: boolean;
  /** As in `HookHostOptions`. */
  readonly packed: boolean;
  readonly services: BrokerServices;
  /** Called after every change of state. */
  changed(hook: Hook): void;
  /** A hook added to the agent, or took back what it added. */
  offered(): void;
}

/** Builds and starts hooks, and restarts those that failed. */
export class Lifecycle implements Restarts {
  readonly #options: LifecycleOptions;
  readonly #cache: BundleCache;
  readonly #downSince = new WeakMap<Hook, number>();
  #runtime: Runtime | undefined;
  #finding: Promise<void> | undefined;
  #runtimeFailure: Failure | undefined;
  #pool: Pool | undefined;
  #closed = false;
  #looking: NodeJS.Timeout | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#cache = new BundleCache(options.home, options.services.pretence?.branches);
    options.services.decisions.onDisabled = (hook) => void this.#follow(hook);
  }

  /** Resolves when every hook is active, pending or failed. */
  async start(): Promise<void> {
    const { hooks, services } = this.#options;
    const look = (): void => {
      services.decisions.watch();
      services.decisions.takeRevoked();
    };
    this.#looking = setInterval(look, LOOK_EVERY_MS);
    this.#looking.unref();
    look();
    if (hooks.some((hook) => !hook.trusted)) await this.#findRuntime();
    await Promise.all(hooks.map((hook) => this.#prepare(hook)));
    const supervisors = new Set(hooks.flatMap((hook) => hook.hosting?.supervisor ?? []));
    const ahead = [...supervisors];
    const startNext = async (): Promise<void> => {
      for (let next = ahead.shift(); next; next = ahead.shift()) await next.start();
    };
    await Promise.all(Array.from({ length: MAX_STARTS }, startNext));
  }

  /** Rebuilds and restarts a hook. Until that is done its state is `starting`: what it guards waits for it. */
  restart(hook: Hook): Promise<void> {
    if (this.#closed) return Promise.resolve();
    hook.bringingUp ??= (async () => {
      await this.#takeOut(hook);
      hook.disabled = false;
      this.#become(hook, "starting");
      // It may have been installed since, or there are descriptors again.
      if (!hook.trusted) await this.#findRuntime();
      await this.#prepare(hook);
      await hook.hosting?.supervisor.start();
    })().finally(() => {
      hook.bringingUp = undefined;
    });
    return hook.bringingUp;
  }

  /** A person disabled it for longer than a session, or enabled it again, maybe more than once while it was being started. */
  async #follow(hook: Hook): Promise<void> {
    const { decisions, reporter } = this.#options.services;
    await hook.bringingUp;
    const isDisabled = decisions.isDisabled(hook);
    if (isDisabled === hook.disabled) return;
    if (!isDisabled) return this.restart(hook);
    reporter.audit({ hook: hook.id, event: "disable", outcome: "disabled" });
    return this.leaveOut(hook);
  }

  /** A person disabled it: it goes, with all that it runs. */
  async leaveOut(hook: Hook): Promise<void> {
    hook.disabled = true;
    await hook.bringingUp;
    // It may have been enabled meanwhile.
    if (!hook.disabled) return;
    await this.#takeOut(hook);
    this.#become(hook, "stopped");
  }

  async restartIfAsked(hook: Hook): Promise<void> {
    const { home } = this.#options;
    const since = hook.telling?.stuckSince ?? this.#downSince.get(hook) ?? 0;
    // Where the agent names a file by an id of its own, commands know it by the file.
    if ([hook.id, hook.realPath].some((name) => restartedSince(home, name, since))) await this.restart(hook);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looking);
    this.#options.services.decisions.close();
    await this.#closeAll();
    await Promise.allSettled(this.#options.hooks.map((hook) => hook.bringingUp));
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    const trusted = this.#options.hooks.filter((hook) => hook.trusted);
    await Promise.all([this.#pool?.close(), ...trusted.map((hook) => hook.hosting?.supervisor.close())]);
  }

  #findRuntime(): Promise<void> {
    if (this.#runtime) return Promise.resolve();
    this.#finding ??= this.#lookForRuntime().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #lookForRuntime(): Promise<void> {
    const { home, spare, services } = this.#options;
    try {
      this.#runtime = await locateRuntime({ home, workspaces: services.session.workspaces });
    } catch (error) {
      this.#runtimeFailure = { code: "NO_RUNTIME", summary: messageOf(error) };
      return;
    }
    if (this.#closed) return;
    services.session.runtime = this.#runtime;
    const { major } = this.#runtime;
    if (major < 26) {
      const text = `the sandbox runs on Node ${major}, whose permission model does not cover the network; run: cordon runtime install`;
      services.reporter.log({ level: "warn", text });
    }
    this.#pool = new Pool(this.#runtime, { spare, hooks: this.#options.hooks.length });
  }

  /** Builds a hook and gives it a runtime, or sets the state that says why it has none. */
  async #prepare(hook: Hook): Promise<void> {
    const { decisions, reporter } = this.#options.services;
    if (decisions.isDisabled(hook)) {
      hook.disabled = true;
      this.#become(hook, "stopped");
    } else if (hook.trusted) this.#prepareTrusted(hook);
    else if (leavePending(hook, this.#loadDeps(hook))) {
      reporter.loaded(hook, "pending");
      this.#become(hook, "pending", hook.failure);
    } else if (!this.#runtime || !this.#pool) this.#become(hook, "failed", this.#runtimeFailure);
    else if (await this.#build(hook)) this.#connect(hook, this.#inSandbox(hook, this.#pool));
    else this.#become(hook, hook.state, hook.failure);
    if (hook.isDown) reporter.reportFailure(hook);
  }

  #prepareTrusted(hook: Hook): void {
    const { policies, services } = this.#options;
    const fault = trustedFault(policies);
    const failure: Failure | undefined =
      fault === undefined
        ? configureTrusted(hook, services.decisions.entryOf(hook))
        : { code: "NOT_ACCEPTED", summary: fault };
    services.reporter.loaded(hook, failure ? "failed" : "trusted: no sandbox", failure);
    if (failure) this.#become(hook, "failed", failure);
    else this.#connect(hook, this.#inAgent(hook));
  }

  #loadDeps(hook: Hook): LoadDeps {
    const { home, start, policies, packed, services } = this.#options;
    return {
      packed,
      node: this.#runtime?.node ?? "",
      cache: this.#cache,
      home,
      start,
      policies,
      entry: services.decisions.entryOf(hook),
      mustBeAccepted: hook.mustBeAccepted,
      notice: (text) => services.reporter.log({ level: "warn", text }),
    };
  }

  /** True if it can be run. */
  async #build(hook: Hook): Promise<boolean> {
    const { services } = this.#options;
    await loadHook(hook, this.#loadDeps(hook));
    const isBuilt = hook.state === "starting";
    const { state, failure } = hook;
    services.reporter.loaded(hook, isBuilt ? "built" : state, state === "failed" ? failure : undefined);
    return isBuilt;
  }

  #inSandbox(hook: Hook, pool: Pool): Supervisor {
    const { grant } = hook;
    // Pins the programs as they are now: whatever replaces them later is another program.
    for (const { program } of grant.capabilities.exec ?? []) this.#options.services.session.programs.pin(program);
    return pool.supervisor(placement(hook), { memoryMb: grant.memoryMb, jit: grant.jit });
  }

  #inAgent(hook: Hook): Supervisor {
    const supervisor: Supervisor = new Supervisor(
      () => new AgentProcess(hook.realPath, (dispatch, field) => supervisor.task(dispatch)?.event?.withheld.get(field)),
    );
    return supervisor;
  }

  #connect(hook: Hook, supervisor: Supervisor): void {
    const { services } = this.#options;
    hook.registrations.clear();
    hook.hosting = new HookRuntime(hook, supervisor, services, {
      become: (state, failure) => this.#become(hook, state, failure),
      offered: () => this.#options.offered(),
    });
  }

  /** Removes a hook from its process. */
  async #takeOut(hook: Hook): Promise<void> {
    const { hosting } = hook;
    hook.hosting = undefined;
    hosting?.supervisor.remove(hosting.isolate);
    if (hook.trusted) await hosting?.supervisor.close();
  }

  #become(hook: Hook, state: HookState, failure?: Failure): void {
    hook.state = state === "active" && hook.changed ? "changed" : state;
    hook.failure = failure;
    if (hook.isDown) this.#downSince.set(hook, Date.now());
    this.#options.changed(hook);
  }
}
