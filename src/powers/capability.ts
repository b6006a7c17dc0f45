import type { TSchema } from "typebox";
import type { EventInHand } from "../supervisor/prepared-event.ts";
import type { FsGrant } from "./fs-grant.ts";
import type { Session } from "./lent-session.ts";

/** What a hook's manifest says that it needs, as far as powers look at it. */
export interface Wanted {
  readonly capabilities?: { readonly fs?: FsGrant };
  readonly optional?: { readonly fs?: FsGrant };
}

declare const mark: unique symbol;

/** A request that `check` has let through. Nothing else makes one, and `perform` takes nothing else. */
export type Checked<Request> = Request & { readonly [mark]: true };

/** What a request is judged and done with. */
export interface Circumstances {
  readonly hook: { readonly id: string; readonly name: string; readonly manifest?: Wanted | undefined };
  readonly session: Session;
  /** The event in whose handler the hook asked; `undefined` when it asked at another time. */
  readonly event: EventInHand | undefined;
  /** The hook no longer wants it, or is gone. */
  readonly signal: AbortSignal;
  /**
   * For what stays in the host after the answer: `end` is called when the isolate is gone, or the grant covers the request no
   * more. Returns what is to be called when it ended by itself.
   */
  last(end: () => void): () => void;
}

/**
 * One thing a hook can ask of the host, under one flat name. The broker knows these four parts and nothing of any one
 * power.
 */
export interface Capability<Grant, Request> {
  /** The key of a manifest's or grant's `capabilities` it belongs to. */
  readonly capability: string;
  /** Shape of the arguments, as a tuple. The guest half sends no other. */
  readonly request: TSchema;
  /** Takes the arguments, which fit `request`. */
  read(args: readonly unknown[]): Request;
  /** The request if the grant covers it. */
  check(request: Request, grant: Grant | undefined, circumstances: Circumstances): Checked<Request> | undefined;
  perform(request: Checked<Request>, circumstances: Circumstances): Promise<unknown>;
  /** What is asked for, for messages and the audit. */
  describe(request: Request): string;
  /** What programs of all kinds look for and get on without: no person is asked, and no error told. */
  isIdle?(request: Request): boolean;
  /**
   * The smallest sensible grant that covers the request, for a person to decide about; `undefined` if none could. It costs
   * more than `check`: to be called only when somebody will be asked or told.
   */
  propose(request: Request, circumstances: Circumstances): Grant | undefined;
  /** Whether it can be asked for by a call that blocks the hook: `also`, or `only` so. Never, if left out. */
  readonly sync?: "also" | "only";
  /** Waits for a person or another program, under a deadline of its own: the hook's clock stands still meanwhile. */
  readonly waits: boolean;
  /** For what waits for a person: most characters of all such requests of one hook that may wait at once. */
  readonly maxWaiting?: number;
  /** Most uses in a minute. */
  perMinute(grant: Grant | undefined): number;
}

/** Only for the `check` of a capability. */
export const letThrough = <Request>(request: Request): Checked<Request> => request as Checked<Request>;
