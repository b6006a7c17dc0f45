import type { AuditFact } from "../audit/audit.ts";
import type { SessionEvent } from "../hook-api.ts";
import type { Hook } from "../session/hook.ts";
import type { DeniedRight, Reported } from "../session/reporter.ts";
import type { Rescue } from "../session/rescue.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** What the rules for the single events need of the host. */
export interface HostInside {
  readonly dispatcher: Dispatcher;
  readonly rescue: Rescue;
  /** Hooks by their place: priority, then load order. Pending and disabled ones are left out. */
  ordered(): readonly Hook[];
  /** Tells the error listeners what went wrong with a hook. */
  report(hook: Hook, event: string, error: Reported): void;
  /** The same for whatever an outcome has of errors. */
  reportOutcome(hook: Hook, event: string, outcome: Outcome): void;
  /** A decision of a hook's that its grant does not cover was dropped: audited, and told once. */
  refuse(hook: Hook, event: string, denied: DeniedRight, dropped: string): void;
  audit(hook: string, fact: Omit<AuditFact, "hook">): void;
  /** Audits that these hooks let an event be as it is. `value`: what it is about, by name. */
  passed(hooks: readonly Hook[], event: string, value: string): void;
  /** The session as hooks were last told of it; `undefined` before that. */
  sessionStart: SessionEvent | undefined;
  /** Restarts a hook that is down if a person asked for that from a terminal since. */
  restartIfAsked(hook: Hook): Promise<void>;
}
