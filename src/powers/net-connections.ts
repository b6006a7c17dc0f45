import type { Socket } from "node:net";
import { CordonError } from "../base/errors.ts";
import type { Circumstances } from "./capability.ts";
import { unlessAborted, within } from "./net-deadline.ts";
import { type Lookup, lookupOfHook } from "./net-lookup.ts";
import { Pace } from "./net-pace.ts";
import type { HookSocket } from "./net-socket.ts";
import { Turns } from "./turns.ts";

/** Connections of one hook at once, those of its requests among them. */
const MAX_CONNECTIONS = 8;
/** For a connection to come about: the lookup of its host's name, TLS, and a WebSocket's handshake. */
export const OPEN_MS = 10_000;
/** For a hook to begin reading a body. After it, a request that waits for its turn gets the body's connection. */
const FORGOTTEN_MS = 1000;

/** A connection that the hook has the number of. */
export interface Open {
  readonly socket: HookSocket;
  /** It is the body of an answer. */
  readonly isBody: boolean;
  /** It ended, and the hook may not have read all of it yet. */
  isOver: boolean;
  /** The hook began to read it. */
  isRead: boolean;
  /** The hook has not begun to read it in time. */
  isForgotten: boolean;
  reads: boolean;
  writes: boolean;
}

/**
 * Connections that ended, and whose hook did not read their end: what they still hold is dropped for later ones. Of bodies there
 * are as many as the requests of a minute.
 */
const MAX_UNREAD = { sockets: 16, bodies: 120 };

const taken = (): CordonError => new CordonError("NOT_GRANTED", "the connection was ended: it is not granted any more");

/** The connections of one hook, and what they share. */
export class Connections {
  readonly open = new Map<number, Open>();
  /** Connections that ended since the grant covers them no more. */
  readonly #taken = new Set<number>();
  readonly reading = new Pace();
  readonly writing = new Pace();
  readonly lookup: Lookup;
  readonly #places = new Turns(MAX_CONNECTIONS);
  #last = 0;

  constructor(lookup = lookupOfHook()) {
    this.lookup = lookup;
  }

  /** Dials for a request, as soon as there is a place. */
  async dialInTurn(signal: AbortSignal, dial: (signal: AbortSignal) => Promise<Socket>): Promise<Socket> {
    const turn = this.#places.take(signal);
    this.#takeForgotten();
    const leave = await turn;
    return inPlace(leave, () => inTime(signal, dial));
  }

  /**
   * Keeps the body of an answer, whose connection has its place already. It ends with its hook, or when the grant covers it no
   * more. Returns its number.
   */
  keepBody(circumstances: Circumstances, make: (over: () => void) => HookSocket): number {
    const over = new AbortController();
    const body = make(() => {
      kept.isOver = true;
      over.abort();
    });
    const kept = this.#keep(body, true);
    const number = this.#last;
    circumstances.last(() => this.#take(number, body), over.signal);
    const forgotten = (): void => {
      kept.isForgotten = !kept.isRead;
      this.#takeForgotten();
    };
    setTimeout(forgotten, FORGOTTEN_MS).unref();
    return number;
  }

  /**
   * Makes a connection, and keeps it until it ends, the hook is gone, or the grant covers it no more. Throws `RATE_LIMITED` if
   * there is no place.
   */
  async make<S extends HookSocket>(
    circumstances: Circumstances,
    dial: (signal: AbortSignal) => Promise<Socket>,
    make: (raw: Socket, over: () => void) => Promise<S>,
  ): Promise<{ number: number; raw: Socket; socket: S }> {
    const leave = this.#places.takeNow();
    if (!leave) throw new CordonError("RATE_LIMITED", `a hook may have ${MAX_CONNECTIONS} connections at once`);
    const gone = new AbortController();
    const over = new AbortController();
    circumstances.last(() => gone.abort(taken()), over.signal);
    try {
      return await inTime(AbortSignal.any([circumstances.signal, gone.signal]), async (signal) => {
        const raw = await inPlace(leave, () => dial(signal));
        try {
          let kept: Open | undefined;
          const ended = (): void => {
            over.abort();
            if (kept) kept.isOver = true;
          };
          const socket = await unlessAborted(make(raw, ended), signal);
          signal.throwIfAborted();
          kept = this.#keep(socket, false);
          kept.isOver = over.signal.aborted;
          const number = this.#last;
          gone.signal.addEventListener("abort", () => this.#take(number, socket));
          return { number, raw, socket };
        } catch (error) {
          raw.destroy();
          throw error;
        }
      });
    } catch (error) {
      over.abort();
      throw error;
    }
  }

  /** Ends a connection, and what it still holds is not for the hook. */
  #take(number: number, socket: HookSocket): void {
    socket.destroy(taken());
    this.open.delete(number);
    this.#taken.add(number);
  }

  /** The connection with a number, if it is there. Throws `NOT_GRANTED` for one that was taken from the hook. */
  find(number: number): Open | undefined {
    if (this.#taken.has(number)) throw taken();
    return this.open.get(number);
  }

  #keep(socket: HookSocket, isBody: boolean): Open {
    const over = [...this.open].filter(([, one]) => one.isOver && one.isBody === isBody);
    const most = isBody ? MAX_UNREAD.bodies : MAX_UNREAD.sockets;
    for (const [old] of over.slice(0, Math.max(0, over.length - most))) this.open.delete(old);
    const kept = { socket, isBody, isOver: false, isRead: false, isForgotten: false, reads: false, writes: false };
    this.open.set(++this.#last, kept);
    return kept;
  }

  /** Ends a body for a request that waits, if there is one: programs that want no body forget it. */
  #takeForgotten(): void {
    if (this.#places.waiting === 0) return;
    const body = [...this.open.values()].find((one) => one.isForgotten && !one.isRead && !one.isOver);
    if (!body) return;
    // The next one that waits takes another.
    body.isForgotten = false;
    const why = "a later request got the connection of a body that was not read: read each, or cancel it";
    body.socket.destroy(new CordonError("RATE_LIMITED", why));
  }
}

/** Everything that comes about has its place until its connection is closed. */
async function inPlace(leave: () => void, dial: () => Promise<Socket>): Promise<Socket> {
  try {
    const raw = await dial();
    if (raw.closed) leave();
    else raw.once("close", leave);
    return raw;
  } catch (error) {
    leave();
    throw error;
  }
}

const inTime = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  within(OPEN_MS, signal, "no connection", work);

const byHook = new WeakMap<object, Connections>();

export function connectionsOf({ hook }: Circumstances): Connections {
  const mine = byHook.get(hook) ?? new Connections();
  byHook.set(hook, mine);
  return mine;
}
