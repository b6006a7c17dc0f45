import { BundleCache } from "./build/cache.ts";
import type { Consent } from "./consent.ts";
import { messageOf } from "./errors.ts";
import type { FoundHook } from "./find-hooks.ts";
import { dangersOf } from "./grants/dangers.ts";
import { defaultCapabilities, type GrantEntry } from "./grants/grant.ts";
import { changeGrant, findGrant, type Grants, grantsPath } from "./grants/grants-file.ts";
import { type Policy, withinPolicies } from "./grants/policy.ts";
import { Revocations } from "./grants/revocations.ts";
import type { Capabilities } from "./grants/schema.ts";
import { shownPower } from "./grants/shown-power.ts";
import { subtract } from "./grants/subtract.ts";
import type { Hook, HookState, Origin } from "./hook.ts";
import { Isolation } from "./isolation.ts";
import { loadHook } from "./load-hook.ts";
import type { Reporter } from "./reporter.ts";
import { restartedSince } from "./restart-request.ts";
import { locateRuntime, type Runtime } from "./runtime/locate.ts";
import type { Failure } from "./sandbox/run.ts";
import type { Session } from "./session.ts";
import { cleanText } from "./text.ts";
import { TrustedHook } from "./trusted/trusted-hook.ts";

/** Longest request that a person is asked about. */
const MAX_ASKED = 500;

/** Longest of what is granted then, with what a manifest asks for in its place. */
const MAX_GRANTED = 1000;

/** A character that nobody sees, which stands in quotation marks as what it is. */
const HAS_ESCAPE = /\\u[0-9a-f]{4}/;

/**
 * What is installed was accepted at its digest. Powers that were granted to other bytes are not its own. A project's hook
 * that nobody accepted has no entry.
 *
 * @param given by the agent, or in a file that the user named: there the digest may be left out
 */
function installedEntry(
  { entry, ofProject }: Origin & { kind: "installed" },
  given: GrantEntry | undefined,
  kept: GrantEntry | undefined,
): GrantEntry | undefined {
  if (ofProject && !ofProject.accepted) return undefined;
  const { digest } = entry;
  if (given && (given.digest ?? digest) === digest) return { ...given, digest };
  return kept?.digest === digest ? kept : { digest };
}

interface Surroundings {
  readonly home: string;
  readonly session: Session;
  readonly reporter: Reporter;
  readonly consent: Consent;
  /** First match wins; the last is the user's own file. */
  readonly grants: readonly Grants[];
  readonly policies: readonly Policy[];
  /** A started process is kept ready. */
  readonly spare: boolean;
  /** Hears of every change of state. */
  changed(hook: Hook): void;
}

/** Takes hooks from their files to a running isolate, and back there after they failed. */
export class Lifecycle {
  readonly #around: Surroundings;
  readonly #hooks: readonly Hook[];
  readonly #given: ReadonlyMap<Hook, GrantEntry | undefined>;
  readonly #cache: BundleCache;
  readonly #revocations: Revocations;
  /** Entries of the user's own grants file as this session took them, less what was revoked since. */
  readonly #kept: Map<string, GrantEntry>;
  readonly #downSince = new WeakMap<Hook, number>();
  #isolation: Isolation | undefined;
  #closed = false;
  #runtimeFailure: Failure | undefined;

  constructor(found: readonly FoundHook[], around: Surroundings) {
    this.#around = around;
    this.#hooks = found.map(({ hook }) => hook);
    this.#given = new Map(found.map(({ hook, given }) => [hook, given]));
    this.#cache = new BundleCache(around.home);
    this.#kept = new Map(around.grants.at(-1));
    this.#revocations = new Revocations(grantsPath(around.home), this.#kept);
  }

  /** Resolves when every hook is active, pending or failed. */
  async start(): Promise<void> {
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

  /** Takes from running hooks what their entries have lost since. Called before each event: costs one look at the file. */
  takeRevoked(): void {
    const seen = this.#revocations.look();
    if (!seen) return;
    const { reporter } = this.#around;
    for (const hook of this.#hooks) {
      const elsewhere = this.#named(hook) !== undefined;
      if (hook.trusted || elsewhere || this.#given.get(hook)) continue;
      const before = findGrant(seen.before, hook.key, hook.realPath)?.capabilities;
      if (!before) continue;
      const now = findGrant(seen.now, hook.key, hook.realPath)?.capabilities ?? {};
      const left = subtract(hook.grant.capabilities, before, now);
      if (JSON.stringify(left) === JSON.stringify(hook.grant.capabilities)) continue;
      hook.grant.capabilities = left;
      this.#isolation?.narrowed(hook);
      for (const key of [hook.key, hook.realPath]) {
        const kept = this.#kept.get(key);
        if (kept?.capabilities)
          this.#kept.set(key, { ...kept, capabilities: subtract(kept.capabilities, before, now) });
      }
      reporter.audit({ hook: hook.id, event: "grant", outcome: "revoked" });
      reporter.log({ level: "warn", hook: hook.id, text: "powers of it were revoked: it goes on without them" });
    }
  }

  /** Restarts a hook that is down if a person asked for that from a terminal since. */
  async restartIfAsked(hook: Hook): Promise<void> {
    if (restartedSince(this.#around.home, hook.id, this.#downSince.get(hook) ?? 0)) await this.restart(hook);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#isolation?.close();
    await Promise.allSettled(this.#hooks.map((hook) => hook.bringingUp));
    await this.#isolation?.close();
  }

  async #findRuntime(): Promise<void> {
    const { home, session, reporter } = this.#around;
    let runtime: Runtime;
    try {
      runtime = await locateRuntime({ home, workspaces: session.workspaces });
    } catch (error) {
      this.#runtimeFailure = { code: "NO_RUNTIME", what: messageOf(error) };
      return;
    }
    if (runtime.major < 26) {
      const text = `the sandbox runs on Node ${runtime.major}, whose permission model does not cover the network; run: cordon runtime install`;
      reporter.log({ level: "warn", text });
    }
    this.#isolation = new Isolation(runtime, session, this.#around.spare, {
      report: (hook, event, error) => reporter.report(hook, event, error),
      refused: (hook, event, error, quiet) => reporter.refused(hook, event, error, quiet),
      log: (line) => reporter.log(line),
      state: (hook, state, failure) => this.#become(hook, state, failure),
      audit: (fact) => reporter.audit(fact),
      consent: (hook, capability, value, widen) => this.#mayUse(hook, capability, value, widen),
    });
  }

  /** Builds a hook and puts it where it will run. */
  async #prepare(hook: Hook): Promise<void> {
    const { reporter } = this.#around;
    if (hook.trusted) {
      await this.#loadInProcess(hook);
    } else if (this.#runtimeFailure || !this.#isolation) {
      this.#become(hook, "failed", this.#runtimeFailure);
    } else {
      const { origin } = hook;
      const named = this.#given.get(hook) ?? this.#named(hook);
      const kept = findGrant(this.#kept, hook.key, hook.realPath);
      await loadHook(hook, {
        node: this.#isolation.runtime.node,
        cache: this.#cache,
        policies: this.#around.policies,
        entry: origin.kind === "installed" ? installedEntry(origin, named, kept) : (named ?? kept),
        mustBeAccepted: origin.kind === "project" || origin.kind === "installed",
        notice: (text) => reporter.log({ level: "warn", text }),
      });
      const outcome = hook.state === "starting" ? "built" : hook.state;
      reporter.audit({ hook: hook.id, ...(hook.digest ? { digest: hook.digest } : {}), event: "load", outcome });
      if (hook.state === "starting") this.#isolation.place(hook);
      else this.#become(hook, hook.state, hook.failure);
    }
    if (hook.isDown) reporter.reportFailure(hook);
  }

  /** Its entry in a file that the user named for this session. */
  #named(hook: Hook): GrantEntry | undefined {
    const entries = this.#around.grants.slice(0, -1).map((file) => findGrant(file, hook.id, hook.realPath));
    return entries.find((one) => one !== undefined);
  }

  async #loadInProcess(hook: Hook): Promise<void> {
    const inProcess = new TrustedHook(this.#around.session, (events) => {
      hook.events = events;
    });
    try {
      await inProcess.load(hook.realPath);
      hook.inProcess = inProcess;
      hook.events = inProcess.events();
      this.#become(hook, "active");
    } catch (error) {
      this.#become(hook, "failed", { code: "LOAD_FAILED", what: messageOf(error) });
    }
  }

  #become(hook: Hook, state: HookState, failure?: Failure): void {
    hook.state = state === "active" && hook.changed ? "changed" : state;
    hook.failure = failure;
    if (hook.isDown) this.#downSince.set(hook, Date.now());
    this.#around.changed(hook);
  }

  /** Asks a person about a power that was not granted, if there is one and the hook ever said it wants it. */
  async #mayUse(hook: Hook, capability: string, value: string, widen: (granted: unknown) => unknown): Promise<boolean> {
    const { session, consent, reporter } = this.#around;
    const asked = { ...hook.manifest?.optional, ...hook.manifest?.capabilities } as Record<string, unknown>;
    if (!session.hasUI || (hook.manifest && asked[capability] === undefined)) return false;
    // What cannot be shown whole cannot be agreed to.
    if (cleanText(value, MAX_ASKED) !== value || value.includes("\n") || HAS_ESCAPE.test(value)) return false;
    const why = hook.manifest?.why?.[capability];
    const granted = widen(undefined);
    const held = { [capability]: granted } as Capabilities;
    if (Object.keys(withinPolicies(this.#around.policies, held)).length === 0) return false;
    const grants = shownPower(capability, granted);
    if (grants.length > MAX_GRANTED || HAS_ESCAPE.test(grants)) return false;
    const dangers = dangersOf(capability, granted, hook.grant.capabilities).map((danger) => `, and ${danger}`);
    const text = `hook ${hook.name} wants to use ${capability}: ${value}\nAllowing more than once grants ${grants}${dangers.join("")}`;
    const claim = why === undefined ? {} : { why };
    const answer = await consent.ask({ hook: hook.id, capability, value, text, grants, ...claim });
    reporter.audit({ hook: hook.id, capability, value, outcome: `consent: ${answer}` });
    if (answer === "session" || answer === "always") {
      const powers = hook.grant.capabilities as Record<string, unknown>;
      powers[capability] = widen(powers[capability]);
    }
    if (answer === "always") this.#keepGrant(hook, capability, widen);
    return answer !== "deny";
  }

  /** Adds the one power to what the grants file says of the hook now. */
  #keepGrant(hook: Hook, capability: string, widen: (granted: unknown) => unknown): void {
    const { home, reporter } = this.#around;
    try {
      changeGrant(grantsPath(home), hook.key, (kept) => {
        const valid = kept?.digest === undefined || kept.digest === hook.digest ? kept : undefined;
        const powers = (valid?.capabilities ?? defaultCapabilities()) as Record<string, unknown>;
        const capabilities = { ...powers, [capability]: widen(powers[capability]) };
        const at = { grantedAt: new Date().toISOString(), by: "user" };
        return { ...valid, ...(hook.digest ? { digest: hook.digest } : {}), capabilities, ...at };
      });
    } catch (error) {
      reporter.log({ level: "error", text: `the grant could not be kept: ${messageOf(error)}` });
    }
  }
}
