import { defaultCapabilities, type GrantEntry, granted } from "../grants/grant.ts";
import { type Capabilities, powersOf, withMore } from "../grants/schema.ts";
import { guarding } from "../powers/events.ts";
import { changeGrant } from "../store/grants-file.ts";
import { findGrant, type Grants, grantsPath } from "../store/grants-text.ts";
import { Revocations } from "../store/revocations.ts";
import type { Consent } from "./consent.ts";
import type { Hook } from "./hook.ts";
import type { Reporter } from "./reporter.ts";

/**
 * What people decided about the hooks of one session, and where: entries of the embedding agent and of a file that was named
 * for the session stand as they are; those of the user's own file are read again, and take away whatever they do not say
 * any more. What they say besides is for hosts that start later.
 */
export class Decisions {
  readonly #home: string;
  readonly #hooks: readonly Hook[];
  readonly #files: readonly Grants[];
  /** Entries of the user's own file as this session took them, less what was taken away since. */
  readonly #kept: Map<string, GrantEntry>;
  readonly #revocations: Revocations;
  readonly #consent: Consent;
  readonly #reporter: Reporter;

  /** `files`: first match wins; the last is the user's own. */
  constructor(options: {
    hooks: readonly Hook[];
    home: string;
    files: readonly Grants[];
    consent: Consent;
    reporter: Reporter;
  }) {
    const { hooks, home, files } = options;
    this.#home = home;
    this.#hooks = hooks;
    this.#files = files.slice(0, -1);
    this.#kept = new Map(files.at(-1));
    this.#revocations = new Revocations(grantsPath(home), files.at(-1) ?? new Map());
    this.#consent = options.consent;
    this.#reporter = options.reporter;
  }

  /**
   * The entry that a hook is loaded with. What is installed was accepted at its digest: powers that were granted to other
   * bytes are not its own, and a project's hook that nobody accepted has no entry.
   */
  entryOf(hook: Hook): GrantEntry | undefined {
    const { origin } = hook;
    const named = this.#named(hook);
    const kept = findGrant(this.#kept, hook.key, hook.realPath);
    if (origin.kind !== "installed") return named ?? kept;
    if (origin.ofProject && !origin.ofProject.accepted) return undefined;
    const { digest } = origin.entry;
    // In what the agent gives, or a file that the user named, the digest may be left out.
    if (named && (named.digest ?? digest) === digest) return { ...named, digest };
    return kept?.digest === digest ? kept : { digest };
  }

  /** Takes from hooks what their entries have lost since. Costs one look at the file. */
  takeRevoked(): void {
    const seen = this.#revocations.look();
    if (!seen) return;
    for (const hook of this.#hooks) {
      const before = findGrant(seen.before, hook.key, hook.realPath);
      this.#take(hook, before, findGrant(seen.now, hook.key, hook.realPath));
    }
  }

  /** Adds to what a hook may do in this session. */
  allow(hook: Hook, capability: string, grant: unknown): void {
    hook.grant.capabilities = withMore(hook.grant.capabilities, capability, grant);
  }

  /**
   * The same, and adds it to what the user's file says of the hook now. False, and nothing is written, for a hook that is
   * not accepted there any more at the bytes that run here: nobody looked at that.
   */
  allowAlways(hook: Hook, capability: string, grant: unknown): boolean {
    let written: GrantEntry | undefined;
    changeGrant(grantsPath(this.#home), hook.key, (stored) => {
      this.#take(hook, this.#revocations.known(hook.key), stored);
      const isOfThese = stored?.digest === undefined || stored.digest === hook.digest;
      written = undefined;
      if (hook.mustBeAccepted && (stored?.digest === undefined || !isOfThese)) return stored;
      const powers = (isOfThese ? stored?.capabilities : undefined) ?? defaultCapabilities();
      written = {
        ...(isOfThese ? stored : {}),
        ...(hook.digest ? { digest: hook.digest } : {}),
        capabilities: withMore(powers, capability, grant),
        grantedAt: new Date().toISOString(),
        by: "user",
      };
      return written;
    });
    this.allow(hook, capability, grant);
    if (!written) return false;
    this.#revocations.wrote(hook.key, written);
    const kept = findGrant(this.#kept, hook.key, hook.realPath);
    const capabilities = withMore(kept?.capabilities ?? defaultCapabilities(), capability, grant);
    this.#kept.set(hook.key, { ...kept, ...(hook.digest ? { digest: hook.digest } : {}), capabilities });
    return true;
  }

  /** An entry by the agent, or in a file that the user named for this session. */
  #named(hook: Hook): GrantEntry | undefined {
    const entries = this.#files.map((file) => findGrant(file, hook.id, hook.realPath));
    return hook.given ?? entries.find((one) => one !== undefined);
  }

  /** Leaves a hook what its entry says now, of what it has. An entry that is gone says nothing. */
  #take(hook: Hook, before: GrantEntry | undefined, now: GrantEntry | undefined): void {
    if (hook.trusted || hook.state === "pending" || JSON.stringify(before) === JSON.stringify(now)) return;
    // What was allowed for the session is to be asked again.
    this.#consent.forget(hook.id);
    const named = this.#named(hook);
    const said = now && granted(now.capabilities ?? (hook.mustBeAccepted ? {} : undefined));
    const most = powersOf.union(said, named && granted(named.capabilities)) ?? {};
    if (!named) {
      const kept = findGrant(this.#kept, hook.key, hook.realPath);
      const capabilities = within(granted(kept?.capabilities ?? (hook.mustBeAccepted ? {} : undefined)), most);
      this.#kept.set(hook.key, { ...kept, capabilities });
    }
    const held = hook.grant.capabilities;
    hook.grant.capabilities = within(held, most);
    if (powersOf.covers(hook.grant.capabilities, held)) return;
    hook.hosting?.isolate.owner.requests.narrowed();
    this.#reporter.audit({ hook: hook.id, event: "grant", outcome: "revoked" });
    const text = "powers of it were revoked: it goes on without them";
    this.#reporter.log({ level: "warn", hook: hook.id, text });
  }
}

/** The part of the powers that lies in `most`. What makes a hook a guard stays whatever a file says. */
function within(powers: Capabilities, most: Capabilities): Capabilities {
  const left = powersOf.meet(powers, most) ?? {};
  return powers.events ? { ...left, events: { ...left.events, ...guarding(powers.events) } } : left;
}
