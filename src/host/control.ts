import { type AuditLine, DECISION } from "../audit/line.ts";
import { type AuditQuery, auditLines } from "../audit/query.ts";
import { CordonError } from "../base/errors.ts";
import type { ConsentAnswer } from "../session/consent.ts";
import type { Decisions } from "../session/decisions.ts";
import type { Hook } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import { requiredText } from "../session/required.ts";
import type { UseConsent } from "../session/use-consent.ts";
import type { HostGrants } from "./host-grants.ts";

/** How long a person's answer holds. */
export type Decided = Exclude<ConsentAnswer, "once">;

/** What a person changes about hooks while a session runs. Whatever gives more takes the person. */
export class Control {
  readonly #hooks: readonly Hook[];
  readonly #home: string;
  readonly #grants: HostGrants;
  readonly #reporter: Reporter;
  readonly #consent: UseConsent;
  readonly #decisions: Decisions;
  readonly #restart: (hook: Hook) => Promise<void>;
  readonly #leaveOut: (hook: Hook) => Promise<void>;

  constructor(deps: {
    hooks: readonly Hook[];
    home: string;
    grants: HostGrants;
    services: { readonly reporter: Reporter; readonly consent: UseConsent; readonly decisions: Decisions };
    restart(hook: Hook): Promise<void>;
    leaveOut(hook: Hook): Promise<void>;
  }) {
    this.#hooks = deps.hooks;
    this.#home = deps.home;
    this.#grants = deps.grants;
    this.#reporter = deps.services.reporter;
    this.#consent = deps.services.consent;
    this.#decisions = deps.services.decisions;
    this.#restart = deps.restart;
    this.#leaveOut = deps.leaveOut;
  }

  /** See `HookHost.grant`. */
  async grant(id: string, power: string, value: unknown): Promise<Decided> {
    const { text, grants, answer } = this.#grants.question(id, power, value);
    const answers = ["deny", "session", "always"] as const;
    const given = await this.#consent.askPerson({ hook: id, capability: power, value: grants, text, grants, answers });
    if (given !== "session" && given !== "always") return "deny";
    const isKept = answer(given);
    // What lifts a limit is another isolate.
    if (power === "limits") await this.#restart(this.#hook(id));
    return given === "always" && isKept ? "always" : "session";
  }

  /** See `HookHost.revoke`. */
  async revoke(id: string, power: string | undefined): Promise<void> {
    const hook = this.#hook(id);
    const held = Object.keys(this.#grants.asShown(id));
    if (power !== undefined && !held.includes(power))
      throw new CordonError("BAD_GRANT", `${id} was not granted ${power}; it has: ${held.join(", ") || "nothing"}`);
    this.#grants.revoke(id, power);
    if (held.includes("limits") && (power ?? "limits") === "limits") await this.#restart(hook);
  }

  /** See `HookHost.disable`. */
  async disable(id: string): Promise<boolean> {
    const hook = this.#hook(id);
    if (hook.disabled) return true;
    if (hook.required) throw new CordonError("BAD_GRANT", requiredText(id));
    const guards = hook.guardsCalls ? ": it guards tool calls, which then pass without it" : "";
    const text = `Disable hook ${hook.name} for this session${guards}?`;
    const answers = ["deny", "session"] as const;
    const given = await this.#consent.askPerson({ hook: id, capability: "disable", value: hook.name, text, answers });
    if (given === "session") {
      this.#decisions.disable(hook);
      await this.#leaveOut(hook);
    } else this.#reporter.audit({ hook: id, event: DECISION, value: "disable", outcome: "consent: deny" });
    return hook.disabled;
  }

  /** See `HookHost.enable`. */
  async enable(id: string): Promise<void> {
    const hook = this.#hook(id);
    if (!hook.disabled) return;
    if (this.#decisions.isDisabled(hook))
      throw new CordonError("BAD_GRANT", `${id} was disabled for longer than this session; run: cordon enable`);
    this.#decisions.enable(hook);
    // Anew: it missed what happened meanwhile.
    await this.#restart(hook);
  }

  /** See `HookHost.audit`. */
  audit(query: AuditQuery): Promise<AuditLine[]> {
    return auditLines(this.#home, query);
  }

  #hook(id: string): Hook {
    const hook = this.#hooks.find((one) => one.id === id);
    if (!hook) throw new CordonError("BAD_GRANT", `no hook has the id ${id}`);
    return hook;
  }
}
