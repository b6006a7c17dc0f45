import type { AgentState, Envelope, VerdictKind } from "../../wire/messages.ts";
import type { GuestEnvironment } from "./environment.ts";
import { failure } from "./outcome.ts";
import { now, own, parse, realm } from "./primordials.ts";

/** The event inside an {@link Envelope}, created in the hook's realm. */
export type Event = Envelope["event"];

/**
 * One event on its way through the bundle's handlers.
 *
 * Like all that each event meets, it has fields that are private for TypeScript alone. No code of a hook gets hold of it, and V8's
 * interpreter takes twice as long to make a `#private` one, and half as long again to read it.
 */
export class Dispatch {
  readonly environment: GuestEnvironment;
  /** Its number, as a text. */
  readonly key: string;
  readonly envelope: Envelope;
  readonly event: Event;
  readonly type: string;
  /** ms. */
  readonly startedAt = now();
  /** The JSON of the field that handlers may change in place, from when it was first read. */
  original: string | undefined;
  /** The same, where it was not sent with the event. */
  fetched: string | undefined;
  cancelled: true | undefined;
  /** Why the handlers have no time left. Handlers that answer at once may still do so. */
  expired: string | undefined;
  chain: { stop(reason: Error): void } | undefined;
  /** Dialogs of its handlers that a person has not answered. */
  asking: number | undefined;
  readonly text: string;
  private aborting: AbortController | undefined;

  /** `text`: JSON of an {@link Envelope}. */
  constructor(environment: GuestEnvironment, key: string, text: string) {
    const envelope: Envelope = parse(text);
    const { event } = envelope;
    this.environment = environment;
    this.key = key;
    this.envelope = envelope;
    this.event = event;
    this.type = event.type;
    this.text = text;
    environment.dispatches.push(this);
  }

  get id(): number {
    return Number(this.key);
  }

  get state(): AgentState {
    return (own(this.envelope, "state") as AgentState | undefined) ?? {};
  }

  /** Returns a new copy of the event, as it arrived. */
  again(): Event {
    return parse(this.text).event;
  }

  /**
   * Fires when the agent aborts the action that the event is about, or when nobody waits any more. Few hooks use it.
   */
  get abort(): AbortController {
    this.aborting ??= new realm.AbortController();
    return this.aborting;
  }

  /**
   * Sends the bundle's verdict. The first one counts. `verdict`: the JSON of a `Verdict`, short enough for a frame; empty for `p`.
   * `stop`: the later hooks of this dispatch run need not hear the event.
   */
  end(kind: VerdictKind, verdict: string, stop: boolean): void {
    const { dispatches, port } = this.environment;
    if (dispatches[dispatches.length - 1] === this) dispatches.pop();
    else {
      const at = dispatches.indexOf(this);
      if (at < 0) return;
      dispatches.splice(at, 1);
    }
    port.post(`V${stop ? 1 : 0}${kind}${this.key}:${verdict}`);
  }

  /** The time of this bundle is up: its handlers share one deadline. Later handlers must answer at once. */
  expire(message: string): void {
    this.expired = message;
    this.chain?.stop(failure("TIMEOUT", message));
  }

  cancel(): void {
    this.cancelled = true;
    this.aborting?.abort();
    this.chain?.stop(failure("TIMEOUT", "cancelled"));
  }
}

type AbortController = InstanceType<typeof realm.AbortController>;
