import type { GuestInit, VerdictKind } from "../../wire/messages.ts";
import type { Dispatch } from "../core/dispatch.ts";
import type { Namespace } from "../core/exports.ts";
import type { Port } from "../core/port.ts";
import type { Remote } from "../core/remote.ts";
import type { Furniture } from "../realm/realm.ts";

export interface GuestEnvironment {
  readonly init: GuestInit;
  readonly port: Port;
  readonly remote: Remote;
  readonly logger: Furniture["logger"];
}

export interface Handled {
  kind: VerdictKind;
  /** The JSON of a `Verdict`, short enough for a frame; empty for `p`. */
  verdict: string;
  /** No later hook of this run need hear the event. */
  stop: boolean;
}

/** The guest half of a dialect: presents the API a bundle was written for, and turns its answers into canonical ones. */
export interface Dialect {
  /** Runs what the bundle exports, and returns what to wait for. Throws when it is no hook of this dialect. */
  load(namespace: Namespace): unknown;
  /** `load` has finished. Handlers registered from now on are reported one by one. Throws if the bundle has no handler and needs one. */
  loaded(): void;
  /** How many handlers stand for each event type. */
  events(): Record<string, number>;
  /** What the bundle asked for while it loaded and goes without, as a person reads it. */
  unsupported?(): string[];
  /**
   * The highest priority among the handlers that want an event of this type about `name`; `undefined` where none does.
   * A dialect without it hears every event, at the priority that the hook has as a whole.
   */
  priorityFor?(type: string, name: string): number | undefined;
  /** Calls `done` once, whatever the handlers do: what they throw becomes part of the verdict. */
  handle(dispatch: Dispatch, done: (handled: Handled) => void): void;
}

/** One dialect among those that a bundle may be written in. */
export interface DialectKind {
  /** What a bundle exports, or did while it was evaluated, is of this dialect and of no other. */
  recognises(namespace: Namespace): boolean;
  open(environment: GuestEnvironment): Dialect;
}
