import type { GuestInit } from "../protocol.ts";
import type { Dispatch } from "./dispatch.ts";
import type { Port } from "./port.ts";
import type { Remote } from "./remote.ts";

export interface GuestEnvironment {
  readonly init: GuestInit;
  readonly port: Port;
  readonly remote: Remote;
}

export interface Handled {
  /** The JSON of a `Verdict`, short enough for a frame. */
  verdict: string;
  /** No later hook of this run need hear the event. */
  stop: boolean;
}

/** The guest half of a dialect: presents the API a bundle was written for, and turns its answers into canonical ones. */
export interface Dialect {
  /** Runs what the bundle exports. Throws or rejects when it is no hook of this dialect. */
  load(namespace: Record<string, unknown>): unknown;
  /** How many handlers stand for each event type. */
  events(): Record<string, number>;
  /** Calls `done` once, whatever the handlers do: what they throw becomes part of the verdict. */
  handle(dispatch: Dispatch, done: (handled: Handled) => void): void;
}
