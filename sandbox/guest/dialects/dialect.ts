import type { GuestInit, VerdictKind } from "../../wire/messages.ts";
import type { Dispatch } from "../core/dispatch.ts";
import type { Namespace } from "../core/exports.ts";
import type { Port } from "../core/port.ts";
import type { Remote } from "../core/remote.ts";
import type { Furniture } from "../realm/realm-host.ts";

export interface GuestEnvironment {
  readonly init: GuestInit;
  readonly port: Port;
  readonly remote: Remote;
  readonly logger: Furniture["logger"];
  /** Tools of agents of the hook's own, by the name that the host runs them by. */
  readonly agentTools: ReadonlyMap<string, unknown>;
}

export interface Handled {
  kind: VerdictKind;
  /** The JSON of a `Verdict`, short enough for a frame; empty for `p`. */
  verdict: string;
  /** The later hooks of this dispatch run need not hear the event. */
  stop: boolean;
}

/** What a handler chain is given: `done` receives its end. */
export type ChainEvent = [environment: GuestEnvironment, dispatch: Dispatch, done: (handled: Handled) => void];

/**
 * The guest's half of a dialect: offers the API that a bundle was written for, and converts its answers to canonical
 * ones.
 */
export interface Dialect {
  /** Runs the bundle's exports. Returns a value to await. Throws if the bundle is not a hook of this dialect. */
  load(namespace: Namespace): unknown;
  /**
   * Called after `load`: from now on, each new handler is reported at once. Throws if the bundle needs a handler and
   * has none.
   */
  loaded(): void;
  /** The number of handlers for each event type. */
  events(): Record<string, number>;
  /** Descriptions, for a person, of what the bundle asked for while it loaded, and what it lacks now. */
  unsupported?(): string[];
  /**
   * The highest priority of the handlers that want an event of this type about `name`; `undefined` if none does. A
   * dialect without this method hears every event, at the priority of the hook.
   */
  priorityFor?(type: string, name: string): number | undefined;
  /** A person gave a flag that the bundle registered this value. */
  setFlag?(name: string, value: boolean | string): void;
  /** Calls `done` once, whatever the handlers do. Their errors become part of the verdict. */
  handle(dispatch: Dispatch, done: (handled: Handled) => void): void;
}

/** One of the dialects. */
export interface DialectKind {
  /** Whether a bundle's exports, or its actions while it was evaluated, show that it is of this dialect. */
  recognises(namespace: Namespace): boolean;
  open(environment: GuestEnvironment): Dialect;
}
