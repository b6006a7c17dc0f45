import type { SessionEvent } from "../hook-api.ts";
import type { Hook } from "../session/hook.ts";
import type { Reporter } from "../session/reporter.ts";
import type { Rescue } from "../session/rescue.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** Restarts hooks. */
export interface Restarts {
  /** Ends what a hook does, and starts it anew. Resolves when that is done, well or not. */
  restart(hook: Hook): Promise<void>;
  /** Restarts a hook that is down, if a person has asked for that from a terminal since. */
  restartIfAsked(hook: Hook): Promise<void>;
}

/** What the rules for events need of the host. */
export interface HostInside {
  readonly hooks: readonly Hook[];
  readonly dispatcher: Dispatcher;
  readonly rescue: Rescue;
  readonly reporter: Reporter;
  readonly restarts: Restarts;
  /** True for a hook whose blocks are recorded, and do not hold. */
  monitors(hook: Hook): boolean;
  /** Hooks are tried out for what they need: what gives back an event as it was might have changed another one. */
  readonly isRehearsal: boolean;
  /** The last session event that hooks received; `undefined` before the first. */
  sessionStart: SessionEvent | undefined;
}

/** The hooks that are `wanted`, by priority, then load order. Pending and disabled ones are left out. */
export const ordered = ({ hooks }: Pick<HostInside, "hooks">, wanted: (hook: Hook) => boolean = () => true): Hook[] =>
  hooks
    .filter((hook) => hook.state !== "pending" && !hook.disabled && wanted(hook))
    .sort((a, b) => b.grant.priority - a.grant.priority);
