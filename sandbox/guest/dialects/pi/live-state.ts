import type { AgentState } from "../../../wire/messages.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { copyOf, now } from "../../core/primordials.ts";
import { dispatchOf } from "./linked.ts";

/** A hook that asks in a loop asks the host this often: each time is a line of the record. */
const FRESH_MS = 100;

interface Known {
  state: AgentState;
  /** ms. */
  at: number;
}

/** What a hook was told last. */
const known = new WeakMap<GuestEnvironment, Known>();
/** When a hook last acted, in ms. */
const actedAt = new WeakMap<GuestEnvironment, number>();

/** The hook has the agent do something, which may change its state. */
export function acted(environment: GuestEnvironment): void {
  actedAt.set(environment, now());
}

/** The latest of what a hook was told: with an event that is open, with that of its `ctx`, or when it asked. */
function latest(dispatch: Dispatch): Known {
  const { environment } = dispatch;
  let last = known.get(environment);
  for (const { state, startedAt: at, envelope } of [dispatch, ...copyOf(environment.dispatches as Dispatch[])])
    if (!last || (at > last.at && Object.hasOwn(envelope, "state"))) last = { state, at };
  return last as Known;
}

/**
 * The agent's state as it is now, for a handler that waits for it to change. A quick one sees that of the newest event, also by a
 * `ctx` that it kept.
 */
export function liveState(context: object): AgentState {
  const dispatch = dispatchOf(context);
  const { environment } = dispatch;
  const last = latest(dispatch);
  if (now() - last.at < FRESH_MS && last.at > (actedAt.get(environment) ?? 0)) return last.state;
  const state = ask(environment.port) ?? last.state;
  known.set(environment, { state, at: now() });
  return state;
}

function ask(port: GuestEnvironment["port"]): AgentState | undefined {
  try {
    return (port.ask({ op: "agent.state", dispatch: 0, args: [] }) as AgentState | null) ?? undefined;
  } catch {
    // The agent may be gone, and the hook may have asked too often: what it knew still holds.
    return undefined;
  }
}
