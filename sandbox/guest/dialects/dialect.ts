import type { Dispatch } from "../core/dispatch.ts";
import type { GuestEnvironment } from "../core/environment.ts";
import type { Namespace } from "../core/exports.ts";

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
  /** Ends the dispatch, whatever the handlers do. Their errors become part of the verdict. */
  handle(dispatch: Dispatch): void;
}

/** One of the dialects. */
export interface DialectKind {
  /** Whether a bundle's exports, or its actions while it was evaluated, show that it is of this dialect. */
  recognises(namespace: Namespace): boolean;
  open(environment: GuestEnvironment): Dialect;
}
