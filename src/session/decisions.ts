import { type AuditFact, DECISION } from "../audit/line.ts";
import { acceptedPowers } from "../grants/chosen.ts";
import { configOf, defaultCapabilities, type GrantEntry, granted, isDisabledIn } from "../grants/grant.ts";
import { type Capabilities, type Limits, powersOf, withMore } from "../grants/schema.ts";
import { guarding } from "../powers/events.ts";
import { decisionFacts } from "../store/decision.ts";
import { type DecisionLog, keepDecisions } from "../store/decision-log.ts";
import { changeGrant } from "../store/grants-file.ts";
import { entryName, findGrant, type Grants, grantsPath, readGrants } from "../store/grants-text.ts";
import { Revocations } from "../store/revocations.ts";
import { entryWithout, revokeIn, without } from "../store/revoke.ts";
import type { Consent } from "./consent.ts";
import type { Hook } from "./hook.ts";
import type { Reporter } from "./reporter.ts";

/**
 * What people decided about the hooks of one session. Entries of the embedding agent, and of a file that was named for the
 * session, stay as they are. The user's own file is read again during the session: powers that are gone from it are taken
 * away, and new ones apply to hosts that start later.
 */
export class Decisions {
  readonly #home: string;
  readonly #hooks: readonly Hook[];
  readonly #files: readonly Grants[];
  /** Entries of the user's own file as of the session's start, without what was revoked since. */
  readonly #kept: Map<string, GrantEntry>;
  /** Limits that a person lifted in this session, for the bytes that ran then. */
  readonly #lifted = new Map<Hook, { digest: string; limits: Limits }>();
  /** What a person took from hooks whose powers an entry of the agent's, or of a file named for the session, gives. */
  readonly #taken = new Map<Hook, (string | undefined)[]>();
  readonly #revocations: Revocations;
  readonly #folder: string;
  /** Hears that a person disabled a hook, or enabled it again. */
  onDisabled: (hook: Hook) => void = () => {};
  readonly #consent: Consent;
  readonly #reporter: Reporter;

  /** `files`: first match wins; the last is the user's own. */
  constructor(options: {
    hooks: readonly Hook[];
    home: string;
    files: readonly Grants[];
    /** Real path of the folder that the session works in. */
    folder: string;
    consent: Consent;
    reporter: Reporter;
  }) {
    const { hooks, home, files } = options;
    this.#folder = options.folder;
    this.#home = home;
    this.#hooks = hooks;
    this.#files = files.slice(0, -1);
    this.#kept = new Map(files.at(-1));
    this.#revocations = new Revocations(grantsPath(home), files.at(-1) ?? new Map());
    this.#consent = options.consent;
    this.#reporter = options.reporter;
  }

  /**
   * The entry that a hook is loaded with. An installed hook was accepted at its digest, so powers that were granted to other
   * bytes do not apply. A project's hook that nobody accepted has no entry.
   */
  entryOf(hook: Hook): GrantEntry | undefined {
    const entry = this.#entryOf(hook);
    const lifted = this.#lifted.get(hook);
    if (!lifted || (entry?.digest ?? lifted.digest) !== lifted.digest) return entry;
    // With the digest, other bytes do not get them.
    return { ...entry, digest: lifted.digest, limits: { ...entry?.limits, ...lifted.limits } };
  }

  #entryOf(hook: Hook): GrantEntry | undefined {
    const { origin } = hook;
    const named = this.#named(hook);
    const kept = findGrant(this.#kept, hook.key, hook.realPath);
    if (origin.kind !== "installed") return named ?? kept;
    if (origin.ofProject && !origin.ofProject.accepted) return undefined;
    const { digest } = origin.entry;
    // The agent's entries, and those of a file that the user named, may leave out the digest.
    if (named && (named.digest ?? digest) === digest) return { ...named, digest };
    return kept?.digest === digest ? kept : { digest };
  }

  /** Whether a person disabled it here for longer than a session. */
  isDisabled(hook: Hook): boolean {
    return this.#disables(this.#named(hook) ?? this.#revocations.known(hook));
  }

  #disables(entry: GrantEntry | undefined): boolean {
    return isDisabledIn(entry, this.#folder);
  }

  /** From now on, `noticeRevoked` costs nothing while the user's file stays as it is. Call it again: the folder may come later. */
  watch(): void {
    this.#revocations.watch();
  }

  close(): void {
    this.#revocations.close();
  }

  /** Does the same as `takeRevoked` if the file is known to have changed. For events that hooks only hear. */
  noticeRevoked(): void {
    const seen = this.#revocations.look();
    if (seen) this.#take(seen);
  }

  /**
   * Takes from hooks the powers that their entries have lost, and notices who is disabled. Costs one `stat` of the file. Called
   * before a power is used, and before a decision of a hook counts.
   */
  takeRevoked(): void {
    const seen = this.#revocations.check();
    if (seen) this.#take(seen);
  }

  #take(seen: { before: Grants; now: Grants }): void {
    for (const hook of this.#hooks) {
      const before = findGrant(seen.before, hook.key, hook.realPath);
      const now = findGrant(seen.now, hook.key, hook.realPath);
      this.#takeFrom(hook, before, now);
      if (!this.#named(hook) && this.#disables(before) !== this.#disables(now)) this.onDisabled(hook);
    }
  }

  /** Whether a person granted this much since the session began: what is added then holds for later sessions. */
  isGrantedSince(hook: Hook, powers: Capabilities): boolean {
    const entry = this.#revocations.known(hook);
    const isOfThese = entry?.digest === undefined || entry.digest === hook.digest;
    // What its agent grants it counts instead.
    return entry !== undefined && isOfThese && !this.#named(hook) && powersOf.covers(powersIn(hook, entry), powers);
  }

  /** Adds to a hook's powers for this session. */
  allow(hook: Hook, capability: string, grant: unknown): void {
    hook.grant.capabilities = withMore(hook.grant.capabilities, capability, grant);
  }

  /**
   * Does the same, and adds the power to the hook's entry in the user's file. Returns false and writes nothing if that file
   * no longer accepts the bytes that run here.
   */
  allowAlways(hook: Hook, capability: string, grant: unknown): boolean {
    const added = (entry: GrantEntry): Partial<GrantEntry> => ({
      capabilities: withMore(powersIn(hook, entry), capability, grant),
    });
    const written = this.#write(hook, added);
    this.allow(hook, capability, grant);
    return written;
  }

  /** Changes the hook's entry in the user's file, and what is kept of it. `more` has what an entry gets. */
  #write(hook: Hook, more: (entry: GrantEntry) => Partial<GrantEntry>): boolean {
    const digest = hook.digest ? { digest: hook.digest } : {};
    let written: GrantEntry | undefined;
    const change = (stored: GrantEntry | undefined): GrantEntry | undefined => {
      this.#takeFrom(hook, this.#revocations.known(hook), stored);
      const isOfThese = stored?.digest === undefined || stored.digest === hook.digest;
      written = undefined;
      if (hook.mustBeAccepted && (stored?.digest === undefined || !isOfThese)) return stored;
      // What a plugin is configured with stays with its name.
      const own: GrantEntry = isOfThese ? { ...stored } : configOf(stored);
      own.capabilities = powersIn(hook, own);
      written = { ...own, ...digest, ...more(own), grantedAt: new Date().toISOString(), by: "user" };
      return written;
    };
    const path = grantsPath(this.#home);
    const name = (grants: Grants): string => entryName(grants, hook.key, hook.realPath) ?? hook.key;
    const key = name(readGrants(path, false));
    changeGrant(path, key, change, { log: this.#logOf(hook) });
    if (!written) return false;
    this.#revocations.wrote(key, written);
    const kept = findGrant(this.#kept, hook.key, hook.realPath);
    this.#kept.set(name(this.#kept), { ...kept, ...digest, ...more(kept ?? {}) });
    return true;
  }

  /**
   * Lifts limits of a hook from its next start on: for this session, or also for later ones. Returns false, and keeps them for
   * this session, if the user's file no longer accepts the bytes that run here.
   */
  allowLimits(hook: Hook, limits: Limits, duration: "session" | "always"): boolean {
    if (hook.digest === undefined) return false;
    this.#lifted.set(hook, { digest: hook.digest, limits: { ...this.#lifted.get(hook)?.limits, ...limits } });
    return duration === "session" || this.#write(hook, (entry) => ({ limits: { ...entry.limits, ...limits } }));
  }

  /** Takes a power, or all powers, from a hook, and from its entry in the user's file if there is one. */
  revoke(hook: Hook, power: string | undefined): void {
    const path = grantsPath(this.#home);
    const stored = readGrants(path, false);
    const key = entryName(stored, hook.key, hook.realPath);
    // Without any entry it has the usual powers, which one without them takes.
    const isUsual =
      !this.#named(hook) && !hook.mustBeAccepted && Object.hasOwn(defaultCapabilities(), power ?? "events");
    if (key !== undefined || isUsual) revokeIn(path, key ?? hook.realPath, power, this.#logOf(hook));
    // What was allowed for this session alone stands in no file.
    else {
      const held = { capabilities: hook.grant.capabilities };
      const left = { capabilities: without(held.capabilities, power), revokedAt: new Date().toISOString() };
      this.#keep(hook, decisionFacts(hook.key, { entry: held }, { entry: left }));
    }
    this.#taken.set(hook, [...(this.#taken.get(hook) ?? []), power]);
    if (power === undefined || power === "limits") this.#lifted.delete(hook);
    this.takeRevoked();
    this.#consent.forget(hook.id);
    this.#narrow(hook, without(hook.grant.capabilities, power));
  }

  /** Audits that a hook is disabled for this session. */
  disable(hook: Hook): void {
    this.#keep(hook, [{ hook: hook.id, event: DECISION, value: "for this session", outcome: "disabled" }]);
  }

  /** Audits that a hook that was disabled for this session runs again. Throws `BAD_GRANT` if that cannot be written. */
  enable(hook: Hook): void {
    this.#keep(hook, [{ hook: hook.id, event: DECISION, value: "for this session", outcome: "enabled" }]);
  }

  #keep(hook: Hook, facts: readonly AuditFact[]): void {
    const write = (): boolean => facts.every((fact) => this.#reporter.audit({ ...fact, hook: hook.id }));
    // What holds for this session alone cannot fail.
    keepDecisions(facts, { ...this.#logOf(hook), write })();
  }

  /** Also the agent hears of what is decided in its session. The keys of files are not always the ids of hooks. */
  #logOf(hook: Hook): DecisionLog {
    return {
      write: (facts) => this.#reporter.decided(...facts.map((fact) => ({ ...fact, hook: hook.id }))),
      tell: (text) => this.#reporter.log({ level: "warn", hook: hook.id, text }),
    };
  }

  /** The agent's entry, or one of a file that the user named for this session, without what a person took since. */
  #named(hook: Hook): GrantEntry | undefined {
    const entries = this.#files.map((file) => findGrant(file, hook.id, hook.realPath));
    const entry = hook.given ?? entries.find((one) => one !== undefined);
    return entry && (this.#taken.get(hook) ?? []).reduce<GrantEntry>(entryWithout, entry);
  }

  /** Takes from a hook what its entry no longer grants. An entry that is gone grants nothing. */
  #takeFrom(hook: Hook, before: GrantEntry | undefined, now: GrantEntry | undefined): void {
    if (hook.trusted || hook.state === "pending" || JSON.stringify(before) === JSON.stringify(now)) return;
    // A person is asked again about what was allowed for the session.
    this.#consent.forget(hook.id);
    const named = this.#named(hook);
    const most = powersOf.union(now && powersIn(hook, now), named && powersIn(hook, named)) ?? {};
    if (!named) {
      const kept = findGrant(this.#kept, hook.key, hook.realPath);
      const capabilities = within(powersIn(hook, kept), most);
      this.#kept.set(hook.key, { ...kept, capabilities });
    }
    this.#narrow(hook, within(hook.grant.capabilities, most));
  }

  /** `most`: what the hook keeps. */
  #narrow(hook: Hook, most: Capabilities): void {
    const held = hook.grant.capabilities;
    hook.grant.capabilities = most;
    // One that has not loaded yet gets its powers when it does.
    if (!hook.bundle || powersOf.covers(hook.grant.capabilities, held)) return;
    hook.hosting?.isolate.owner.requests.narrowed();
    this.#reporter.audit({ hook: hook.id, event: "grant", outcome: "revoked" });
    const text = "some of its powers were revoked: it goes on without them";
    this.#reporter.log({ level: "warn", hook: hook.id, text });
  }
}

/** The powers that an entry gives a hook. */
const powersIn = (hook: Hook, entry: GrantEntry | undefined): Capabilities =>
  hook.mustBeAccepted ? acceptedPowers(hook.manifest?.capabilities, entry?.capabilities) : granted(entry?.capabilities);

/** The part of the powers that `most` covers. The rights that make a hook a guard are never taken away. */
function within(powers: Capabilities, most: Capabilities): Capabilities {
  const left = powersOf.meet(powers, most) ?? {};
  return powers.events ? { ...left, events: { ...left.events, ...guarding(powers.events) } } : left;
}
