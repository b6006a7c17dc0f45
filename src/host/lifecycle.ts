import { messageOf } from "../base/errors.ts";
import { cleanText } from "../base/text.ts";
import { BundleCache } from "../bundle/cache.ts";
import { dangersOf } from "../grants/dangers.ts";
import { type Policy, withinPolicies } from "../grants/policy.ts";
import type { Capabilities } from "../grants/schema.ts";
import { shownPower } from "../grants/shown-power.ts";
import type { Session } from "../powers/lent-session.ts";
import { locateRuntime, type Runtime } from "../runtime/locate.ts";
import { ANSWERS_AFTERWARDS, type Consent, type Use } from "../session/consent.ts";
import type { Hook, HookState } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import { restartedSince } from "../session/restart-request.ts";
import { TrustedHook } from "../session/trusted-hook.ts";
import type { Grants } from "../store/grants-text.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { Decisions } from "./decisions.ts";
import type { FoundHook } from "./find-hooks.ts";
import { Isolation } from "./isolation.ts";
import { loadHook } from "./load-hook.ts";
import type { StartHost } from "./rehearsal.ts";

/** What was started under a power, a program or a server, ends this long after a revocation, also where nothing happens. */
const LOOK_EVERY_MS = 1000;

/** Longest request that a person is asked about. */
const MAX_ASKED = 500;

/** Longest of what is granted then, with what a manifest asks for in its place. */
const MAX_GRANTED = 1000;

/** A character that nobody sees, which stands in quotation marks as what it is. */
const HAS_ESCAPE = /\\u[0-9a-f]{4}/;

interface LifecycleDeps {
  readonly home: string;
  readonly session: Session;
  readonly reporter: Reporter;
  readonly consent: Consent;
  /** First match wins; the last is the user's own file. */
  readonly grants: readonly Grants[];
  readonly policies: readonly Policy[];
  readonly start: StartHost;
  /** A started process is kept ready. */
  readonly spare: boolean;
  /** Hears of every change of state. */
  changed(hook: Hook): void;
}

/** Takes hooks from their files to a running isolate, and back there after they failed. */
export class Lifecycle {
  readonly #deps: LifecycleDeps;
  readonly #hooks: readonly Hook[];
  readonly #cache: BundleCache;
  readonly #decisions: Decisions;
  readonly #downSince = new WeakMap<Hook, number>();
  #isolation: Isolation | undefined;
  #closed = false;
  #looking: NodeJS.Timeout | undefined;
  #runtimeFailure: Failure | undefined;

  constructor(found: readonly FoundHook[], deps: LifecycleDeps) {
    this.#deps = deps;
    this.#hooks = found.map(({ hook }) => hook);
    this.#cache = new BundleCache(deps.home);
    this.#decisions = new Decisions(found, deps.home, deps.grants, {
      forget: (hook) => deps.consent.forget(hook.id),
      narrowed: (hook) => {
        this.#isolation?.narrowed(hook);
        deps.reporter.audit({ hook: hook.id, event: "grant", outcome: "revoked" });
        const text = "powers of it were revoked: it goes on without them";
        deps.reporter.log({ level: "warn", hook: hook.id, text });
      },
    });
  }

  /** Resolves when every hook is active, pending or failed. */
  async start(): Promise<void> {
    this.#looking = setInterval(() => this.takeRevoked(), LOOK_EVERY_MS);
    this.#looking.unref();
    if (this.#hooks.some((hook) => !hook.trusted)) await this.#findRuntime();
    await Promise.all(this.#hooks.map((hook) => this.#prepare(hook)));
    await this.#isolation?.startAll();
  }

  /** Builds and starts a hook anew. Until that is done it counts as starting: what it guards waits for it. */
  restart(hook: Hook): Promise<void> {
    if (this.#closed) return Promise.resolve();
    hook.bringingUp ??= (async () => {
      this.#isolation?.displace(hook);
      hook.disabled = false;
      this.#become(hook, "starting");
      await this.#prepare(hook);
      await hook.supervisor?.start();
    })().finally(() => {
      hook.bringingUp = undefined;
    });
    return hook.bringingUp;
  }

  /** Takes from running hooks what their entries have lost since. Called before each event and use. */
  takeRevoked(): void {
    this.#decisions.takeRevoked();
  }

  /** Restarts a hook that is down if a person asked for that from a terminal since. */
  async restartIfAsked(hook: Hook): Promise<void> {
    if (restartedSince(this.#deps.home, hook.id, this.#downSince.get(hook) ?? 0)) await this.restart(hook);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#looking);
    await this.#isolation?.close();
    await Promise.allSettled(this.#hooks.map((hook) => hook.bringingUp));
    await this.#isolation?.close();
  }

  async #findRuntime(): Promise<void> {
    const { home, session, reporter } = this.#deps;
    let runtime: Runtime;
    try {
      runtime = await locateRuntime({ home, workspaces: session.workspaces });
    } catch (error) {
      this.#runtimeFailure = { code: "NO_RUNTIME", summary: messageOf(error) };
      return;
    }
    if (runtime.major < 26) {
      const text = `the sandbox runs on Node ${runtime.major}, whose permission model does not cover the network; run: cordon runtime install`;
      reporter.log({ level: "warn", text });
    }
    this.#isolation = new Isolation(runtime, session, this.#deps.spare, {
      report: (hook, event, error) => reporter.report(hook, event, error),
      refused: (hook, event, error, quiet) => reporter.refused(hook, event, error, quiet),
      log: (line) => reporter.log(line),
      state: (hook, state, failure) => this.#become(hook, state, failure),
      audit: (fact) => reporter.audit(fact),
      takeRevoked: () => this.takeRevoked(),
      consent: (hook, use) => this.#mayUse(hook, use),
    });
  }

  /** Builds a hook and puts it where it will run. */
  async #prepare(hook: Hook): Promise<void> {
    const { reporter } = this.#deps;
    if (hook.trusted) {
      await this.#loadInProcess(hook);
    } else if (this.#runtimeFailure || !this.#isolation) {
      this.#become(hook, "failed", this.#runtimeFailure);
    } else {
      await loadHook(hook, {
        node: this.#isolation.runtime.node,
        cache: this.#cache,
        home: this.#deps.home,
        start: this.#deps.start,
        policies: this.#deps.policies,
        entry: this.#decisions.entryOf(hook),
        mustBeAccepted: hook.mustBeAccepted,
        notice: (text) => reporter.log({ level: "warn", text }),
      });
      const outcome = hook.state === "starting" ? "built" : hook.state;
      reporter.audit({ hook: hook.id, ...(hook.digest ? { digest: hook.digest } : {}), event: "load", outcome });
      if (hook.state === "starting") this.#isolation.place(hook);
      else this.#become(hook, hook.state, hook.failure);
    }
    if (hook.isDown) reporter.reportFailure(hook);
  }

  async #loadInProcess(hook: Hook): Promise<void> {
    const inProcess = new TrustedHook(this.#deps.session, (events) => {
      hook.events = events;
    });
    try {
      await inProcess.load(hook.realPath);
      hook.inProcess = inProcess;
      hook.events = inProcess.events();
      this.#become(hook, "active");
    } catch (error) {
      this.#become(hook, "failed", { code: "LOAD_FAILED", summary: messageOf(error) });
    }
  }

  #become(hook: Hook, state: HookState, failure?: Failure): void {
    hook.state = state === "active" && hook.changed ? "changed" : state;
    hook.failure = failure;
    if (hook.isDown) this.#downSince.set(hook, Date.now());
    this.#deps.changed(hook);
  }

  /**
   * Asks a person about a power that was not granted, if there is one and the hook ever said it wants it. The part of the
   * proposal that was granted; `undefined` for none.
   */
  async #mayUse(hook: Hook, { capability, value, proposal, isOver, enough }: Use): Promise<unknown> {
    const { session, consent, reporter } = this.#deps;
    const asked = { ...hook.manifest?.optional, ...hook.manifest?.capabilities } as Record<string, unknown>;
    if (!session.hasUI || (hook.manifest && asked[capability] === undefined)) return undefined;
    // What cannot be shown whole cannot be agreed to.
    if (cleanText(value, MAX_ASKED) !== value || value.includes("\n") || HAS_ESCAPE.test(value)) return undefined;
    const why = hook.manifest?.why?.[capability];
    const within = withinPolicies(this.#deps.policies, { [capability]: proposal } as Capabilities);
    const granted = (within as Record<string, unknown>)[capability];
    if (granted === undefined || !enough(granted)) return undefined;
    const grants = shownPower(capability, granted);
    if (grants.length > MAX_GRANTED || HAS_ESCAPE.test(grants)) return undefined;
    const dangers = dangersOf(capability, granted, hook.grant.capabilities).map((danger) => `, and ${danger}`);
    const text = `hook ${hook.name} wants to use ${capability}: ${value}\nAllowing more than once grants ${grants}${dangers.join("")}`;
    const claim = why === undefined ? {} : { why };
    const answers = isOver ? { answers: ANSWERS_AFTERWARDS } : {};
    const answer = await consent.ask({ hook: hook.id, capability, value, text, grants, ...claim, ...answers });
    reporter.audit({ hook: hook.id, capability, value, outcome: `consent: ${answer}` });
    if (answer === "session") this.#decisions.allow(hook, capability, granted);
    if (answer === "always") this.#allowAlways(hook, capability, granted);
    return answer === "deny" ? undefined : granted;
  }

  #allowAlways(hook: Hook, capability: string, granted: unknown): void {
    const { reporter } = this.#deps;
    try {
      if (this.#decisions.allowAlways(hook, capability, granted)) return;
      const text = `${capability} is allowed for this session only: another version of it is accepted by now, or none`;
      reporter.log({ level: "warn", hook: hook.id, text });
    } catch (error) {
      this.#decisions.allow(hook, capability, granted);
      reporter.log({ level: "error", text: `the grant could not be kept: ${messageOf(error)}` });
    }
  }
}
