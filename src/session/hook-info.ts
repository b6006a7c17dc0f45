import { liftedIn } from "../grants/limits.ts";
import type { Capabilities, Limits } from "../grants/schema.ts";
import type { Hook, HookState } from "./hook.ts";

/** A hook, as an agent sees it. */
export interface HookInfo {
  id: string;
  path: string;
  dialect: string;
  digest: string | undefined;
  /** Digest of the files in its folder, if these are not what runs. */
  offered?: string;
  state: HookState;
  /** Event types it has handlers for. */
  events: string[];
  /** Parts of its agent's API that it used while it loaded and that Cordon does not offer, such as `pi.registerTool`. */
  unsupported?: readonly string[];
  reason?: string;
  /** What it may do now. */
  capabilities: Capabilities;
  /** The limits that a person lifted, if any. */
  limits?: Limits;
  /** A person disabled it: it hears and blocks nothing. */
  disabled: boolean;
  /** How many calls it blocked in this session, also by being down. */
  blocks: number;
  /** When it last heard an event or used a power in this session, as an ISO 8601 time. */
  lastUse?: string;
  /** Bytes in use when `memoryOf` or `measure` last asked. */
  memory?: number;
  /** Its name in the user's grants, if that is not its id: for hooks that are installed for a project. */
  key?: string;
}

/** A hook as it is now, for agents. */
export function infoOf(hook: Hook): HookInfo {
  const limits = liftedIn(hook.grant);
  const reason = hook.failure?.summary ?? hook.changed ?? (hook.disabled ? "a person disabled it" : undefined);
  return {
    id: hook.id,
    path: hook.path,
    dialect: hook.dialect,
    digest: hook.digest,
    ...(hook.offered !== undefined && hook.offered !== hook.digest ? { offered: hook.offered } : {}),
    state: hook.state,
    events: [...hook.events].filter(([, count]) => count > 0).map(([type]) => type),
    ...(hook.unsupported.length > 0 ? { unsupported: hook.unsupported } : {}),
    ...(reason === undefined ? {} : { reason }),
    capabilities: structuredClone(hook.grant.capabilities),
    ...(limits ? { limits } : {}),
    disabled: hook.disabled,
    blocks: hook.blocked,
    ...(hook.lastUse === undefined ? {} : { lastUse: new Date(hook.lastUse).toISOString() }),
    ...(hook.memory === undefined ? {} : { memory: hook.memory }),
    ...(hook.key === hook.id ? {} : { key: hook.key }),
  };
}
