import type { Socket } from "node:net";
import type { SocketOpened, SocketRead, WireBytes } from "../../sandbox/wire/answers.ts";
import { counted } from "../base/counted.ts";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { dial, dialSecurely } from "./net-dial.ts";
import { endpointOf } from "./net-endpoint.ts";
import { canonicalHost, type Endpoint, type NetGrant, names, showEndpoint } from "./net-grant.ts";
import { checkHeaders, TOKEN } from "./net-limits.ts";
import { lookupOf } from "./net-lookup.ts";
import { Pace } from "./net-pace.ts";
import { brokenPipe, type HookSocket, TcpSocket } from "./net-socket.ts";
import type { Handshake } from "./net-websocket.ts";

/** Connections of one hook at once. */
const MAX_SOCKETS = 8;
/** For a connection to come about, TLS and a handshake with it. */
const OPEN_MS = 10_000;
const OPENED_PER_MINUTE = 60;
const PARTS_PER_MINUTE = 12_000;

/** `isOver`: it ended, and the hook may not have read all of it yet. `isForgettable`: the hook has read nothing of it. */
interface Open {
  readonly socket: HookSocket;
  isOver: boolean;
  isForgettable: boolean;
  reads: boolean;
  writes: boolean;
}

/** Connections that ended, and whose hook did not read their end: what they still hold is dropped for later ones. */
const MAX_UNREAD = 16;

interface Sockets {
  last: number;
  opening: number;
  readonly open: Map<number, Open>;
  readonly reading: Pace;
  readonly writing: Pace;
}

const byHook = new WeakMap<object, Sockets>();

function socketsOf({ hook }: Circumstances): Sockets {
  const mine = byHook.get(hook) ?? { last: 0, opening: 0, open: new Map(), reading: new Pace(), writing: new Pace() };
  byHook.set(hook, mine);
  return mine;
}

/** Throws if a hook has as many connections as it may. */
function makeRoom(mine: Sockets): void {
  const over = [...mine.open].filter(([, { isOver }]) => isOver);
  for (const [old] of over.slice(0, Math.max(0, over.length - MAX_UNREAD))) mine.open.delete(old);
  if (mine.open.size - over.length + mine.opening >= MAX_SOCKETS)
    throw new CordonError("RATE_LIMITED", `a hook may have ${MAX_SOCKETS} connections at once`);
}

/**
 * Keeps what is connected already, until it ends, the hook is gone, or the grant covers it no more. In the place of a body that
 * its hook has not begun to read, if there are too many: programs that want no body forget it.
 */
export function keepSocket(circumstances: Circumstances, make: (closed: () => void) => HookSocket): number {
  const mine = socketsOf(circumstances);
  const waiting = [...mine.open].filter(([, one]) => one.isForgettable && !one.isOver);
  if (mine.open.size >= MAX_SOCKETS && waiting[0]) {
    const [old, { socket }] = waiting[0];
    mine.open.delete(old);
    socket.destroy();
  }
  makeRoom(mine);
  const number = ++mine.last;
  const kept: Open = {
    socket: make(() => {
      kept.isOver = true;
      forget();
    }),
    isOver: false,
    isForgettable: true,
    reads: false,
    writes: false,
  };
  const forget = circumstances.last(() => kept.socket.destroy());
  mine.open.set(number, kept);
  return number;
}

/** Makes a connection, and keeps it until it ends, the hook is gone, or the grant covers it no more. */
async function opened<S extends HookSocket>(
  circumstances: Circumstances,
  make: (signal: AbortSignal, closed: () => void) => Promise<S>,
): Promise<{ number: number; socket: S }> {
  const mine = socketsOf(circumstances);
  makeRoom(mine);
  const number = ++mine.last;
  const limit = AbortSignal.timeout(OPEN_MS);
  let made: S | undefined;
  let isOver = false;
  const gone = new AbortController();
  const closed = (): void => {
    isOver = true;
    forget();
    const known = mine.open.get(number);
    if (known) known.isOver = true;
  };
  const forget = circumstances.last(() => {
    gone.abort(new Error("the hook may have this connection no more"));
    made?.destroy();
  });
  mine.opening++;
  try {
    made = await make(AbortSignal.any([circumstances.signal, limit, gone.signal]), closed);
    if (gone.signal.aborted) made.destroy();
    mine.open.set(number, { socket: made, isOver, isForgettable: false, reads: false, writes: false });
    return { number, socket: made };
  } catch (error) {
    forget();
    if (!limit.aborted || circumstances.signal.aborted) throw error;
    throw Object.assign(new Error(`no connection within ${OPEN_MS / 1000} s`), { code: "ETIMEDOUT" });
  } finally {
    mine.opening--;
  }
}

/** A place as a program names it, in the one spelling that is compared. */
function endpointAt(host: string, port: number): Endpoint {
  const url = URL.parse(`tcp://${host.includes(":") ? `[${host}]` : host}`);
  const plain = url && URL.parse(`http://${url.host}`);
  if (!plain || plain.hostname === "" || /[/?#@\\\s%]/.test(host))
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
  return { host: canonicalHost(plain.hostname), port };
}

const granted = (grant: NetGrant | undefined, endpoint: Endpoint): grant is NetGrant =>
  grant !== undefined && names(grant.connect, endpoint);

const connect: Capability<"net.connect", NetGrant, Endpoint, { endpoint: Endpoint; grant: NetGrant }> = {
  read: ([host, port]) => endpointAt(host, port),
  check: (endpoint, grant) => (granted(grant, endpoint) ? { endpoint, grant } : undefined),
  async perform({ checked: { endpoint, grant } }, circumstances): Promise<SocketOpened> {
    let raw: Socket | undefined;
    const { number } = await opened(circumstances, async (signal, closed) => {
      raw = await dial(endpoint, grant, signal, lookupOf(circumstances.hook));
      return new TcpSocket(raw, closed);
    });
    const { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 } = raw ?? {};
    return { socket: number, remoteAddress, remotePort, localAddress, localPort };
  },
  describe: (endpoint) => `connect ${showEndpoint(endpoint)}`,
  propose: (endpoint) => ({ connect: [showEndpoint(endpoint)] }),
  perMinute: () => OPENED_PER_MINUTE,
};

/** Of the handshake itself. */
const OURS = /^(connection|upgrade|host|content-length|transfer-encoding|expect|proxy-.*|sec-websocket-.*)$/i;

interface Wanted {
  readonly http: URL;
  readonly endpoint: Endpoint;
  readonly handshake: Handshake;
}

const websocket: Capability<"net.websocket", NetGrant, Wanted, Wanted & { grant: NetGrant }> = {
  read: ([address, { protocols, headers }]) => {
    checkHeaders(headers, [["URL", address, 16_384]]);
    if (!/^wss?:/i.test(address)) throw new TypeError("a WebSocket's URL begins with ws: or wss:");
    if (!protocols.every((name) => TOKEN.test(name)) || new Set(protocols).size < protocols.length)
      throw new TypeError("the protocols of a WebSocket are different names");
    const { url: http, endpoint } = endpointOf(address.replace(/^ws/i, "http"));
    if (http.hash !== "") throw new TypeError("a WebSocket's URL has no fragment");
    const sent = headers.filter(([name]) => !OURS.test(name));
    const url = http.href.replace(/^http/, "ws");
    return { http, endpoint, handshake: { url, protocols, headers: Object.fromEntries(sent), mostMs: OPEN_MS } };
  },
  check: (wanted, grant) => (granted(grant, wanted.endpoint) ? { ...wanted, grant } : undefined),
  async perform({ checked: { http, endpoint, handshake, grant } }, circumstances) {
    // Like Node's HTTP, which it uses, it takes long to load.
    const { HookWebSocket } = await import("./net-websocket.ts");
    const { number, socket } = await opened(circumstances, async (signal, closed) => {
      const raw = await (http.protocol === "https:" ? dialSecurely : dial)(
        endpoint,
        grant,
        signal,
        lookupOf(circumstances.hook),
      );
      const giveUp = (): void => void raw.destroy();
      signal.addEventListener("abort", giveUp, { once: true });
      try {
        return await HookWebSocket.open(raw, handshake, closed);
      } catch (error) {
        giveUp();
        throw error;
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    });
    return { socket: number, protocol: socket.protocol };
  },
  // No path and no query: both may hold secrets.
  describe: ({ http, endpoint }) => `websocket ${http.protocol === "https:" ? "wss" : "ws"} ${showEndpoint(endpoint)}`,
  propose: ({ endpoint }) => ({ connect: [showEndpoint(endpoint)] }),
  perMinute: () => OPENED_PER_MINUTE,
};

/** A hook's own connection: it was granted, and is there only while it is. */
function openOf(number: number, circumstances: Circumstances): Open | undefined {
  return socketsOf(circumstances).open.get(number);
}

const busy = (): Error => new CordonError("RATE_LIMITED", "a connection does one thing at a time in each direction");

const lengthOf = (parts: readonly WireBytes[]): number => parts.reduce((sum, [, text]) => sum + text.length, 0);

/** A connection, and its number. */
interface Mine {
  readonly number: number;
  readonly found: Open;
}

function mineOf(number: number, circumstances: Circumstances): Mine | undefined {
  const found = openOf(number, circumstances);
  return found && { number, found };
}

const ENDED: SocketRead = { parts: [], ended: {} };

const read: Capability<"net.read", NetGrant, number, Mine> = {
  read: ([socket]) => socket,
  without: (number, circumstances) => (openOf(number, circumstances) ? undefined : { value: ENDED }),
  check: (number, _grant, circumstances) => mineOf(number, circumstances),
  async perform({ checked: { number, found } }, circumstances): Promise<SocketRead> {
    if (found.reads) throw busy();
    found.reads = true;
    found.isForgettable = false;
    try {
      const came = await found.socket.read();
      if (came.ended) socketsOf(circumstances).open.delete(number);
      await socketsOf(circumstances).reading.take(lengthOf(came.parts), circumstances.signal);
      return came;
    } finally {
      found.reads = false;
    }
  },
  describe: () => "read from a connection",
  perMinute: () => PARTS_PER_MINUTE,
};

interface Written {
  readonly number: number;
  readonly parts: readonly WireBytes[];
  readonly ends: boolean;
}

const write: Capability<"net.write", NetGrant, Written, Written & Mine> = {
  read: ([number, parts, ends]) => ({ number, parts, ends }),
  without({ number, parts, ends }, circumstances) {
    if (openOf(number, circumstances)) return undefined;
    // To end what is over is no mistake.
    if (ends && parts.length === 0) return { value: null };
    throw brokenPipe();
  },
  check(written, _grant, circumstances) {
    const mine = mineOf(written.number, circumstances);
    return mine && { ...written, ...mine };
  },
  async perform({ checked: { found, parts, ends } }, circumstances) {
    if (found.writes) throw busy();
    found.writes = true;
    try {
      await socketsOf(circumstances).writing.take(lengthOf(parts), circumstances.signal);
      await found.socket.write(parts, ends);
      return null;
    } finally {
      found.writes = false;
    }
  },
  describe: ({ parts }) => `write ${counted(lengthOf(parts), "character")} to a connection`,
  perMinute: () => PARTS_PER_MINUTE,
};

interface Closing {
  readonly number: number;
  readonly code: number | undefined;
  readonly reason: string;
}

const close: Capability<"net.close", NetGrant, Closing, Closing & Mine> = {
  read: ([number, how]) => ({ number, code: how.code, reason: how.reason ?? "" }),
  without: ({ number }, circumstances) => (openOf(number, circumstances) ? undefined : { value: null }),
  check(closing, _grant, circumstances) {
    const mine = mineOf(closing.number, circumstances);
    return mine && { ...closing, ...mine };
  },
  async perform({ checked: { found, code, reason } }) {
    found.socket.close(code, reason);
    return null;
  },
  describe: () => "close a connection",
  perMinute: () => PARTS_PER_MINUTE,
};

export const sockets = {
  ...sealed("net.connect", connect),
  ...sealed("net.websocket", websocket),
  ...sealed("net.read", read),
  ...sealed("net.write", write),
  ...sealed("net.close", close),
};
