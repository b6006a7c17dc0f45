import type { AgentState, Envelope } from "../../wire/messages.ts";
import { failure } from "./outcome.ts";
import { copyOf, now, own, parse, realm, settle, soon } from "./primordials.ts";

/** An async handler that waits for nothing ends within this number of turns of the microtask queue. */
const TURNS = 20;

/** The event inside an {@link Envelope}, created in the hook's realm. */
export type Event = Envelope["event"];

/** One event on its way through the bundle's handlers. */
export class Dispatch {
  readonly id: number;
  readonly event: Event;
  readonly type: string;
  readonly hasUI: boolean;
  readonly sessionFile: string | null;
  readonly state: AgentState;
  /** ms. */
  readonly startedAt = now();
  readonly withheld: readonly string[];
  readonly live: readonly string[];
  /** The JSON of the field that handlers may change in place, from when it was first read. */
  original: string | undefined;
  cancelled = false;
  /** Why the handlers have no time left. Handlers that answer at once may still do so. */
  #expired: string | undefined;
  readonly #text: string;
  #abort: AbortController | undefined;
  #expire: ((reason: Error) => void) | undefined;

  /** `text`: JSON of an {@link Envelope}. */
  constructor(id: number, text: string) {
    const envelope: Envelope = parse(text);
    this.id = id;
    this.#text = text;
    this.event = envelope.event;
    this.type = envelope.event.type;
    this.hasUI = envelope.hasUI;
    this.sessionFile = envelope.sessionFile;
    this.state = (own(envelope, "state") as AgentState | undefined) ?? {};
    this.withheld = listOf(envelope, "withheld");
    this.live = listOf(envelope, "live");
  }

  /** Returns a new copy of the event, as it arrived. */
  again(): Event {
    return parse(this.#text).event;
  }

  /**
   * Fires when the agent aborts the action that the event is about, or when nobody waits any more. Few hooks use it.
   */
  get abort(): AbortController {
    this.#abort ??= new realm.AbortController();
    return this.#abort;
  }

  /** Calls `done` or `failed` once, when `work` settles. Also calls `failed` when the host says that the time is up. */
  settle(work: unknown, done: (value: unknown) => void, failed: (reason: unknown) => void): void {
    let open = true;
    const fail = (reason: unknown): void => {
      if (!open) return;
      open = false;
      failed(reason);
    };
    this.#expire = fail;
    const succeed = (value: unknown): void => {
      if (!open) return;
      open = false;
      done(value);
    };
    settle(work, succeed, fail);
    if (this.#expired !== undefined) this.#failSoon(fail, TURNS);
  }

  /** The time of this bundle is up: its handlers share one deadline. Later handlers must answer at once. */
  expire(message: string): void {
    this.#expired = message;
    this.#expire?.(failure("TIMEOUT", message));
  }

  #failSoon(fail: (reason: unknown) => void, turns: number): void {
    soon(() => {
      if (turns > 0) this.#failSoon(fail, turns - 1);
      else fail(failure("TIMEOUT", this.#expired as string));
    });
  }

  cancel(): void {
    this.cancelled = true;
    this.#abort?.abort();
    this.#expire?.(failure("TIMEOUT", "cancelled"));
  }
}

type AbortController = InstanceType<typeof realm.AbortController>;

const listOf = (envelope: Envelope, name: "withheld" | "live"): readonly string[] => {
  const list = own(envelope, name) as ArrayLike<string> | undefined;
  return list ? copyOf(list) : NONE;
};

const NONE: readonly string[] = Object.freeze([]);
