import type { SocketOpened, SocketRead, WireBytes } from "../../sandbox/wire/answers.ts";
import { counted } from "../base/counted.ts";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { connectionsOf, OPEN_MS, type Open } from "./net-connections.ts";
import { dial, dialSecurely } from "./net-dial.ts";
import { endpointOf } from "./net-endpoint.ts";
import { canonicalHost, type Endpoint, type NetGrant, names, showEndpoint } from "./net-grant.ts";
import { checkHeaders, TOKEN } from "./net-limits.ts";
import { brokenPipe, TcpSocket } from "./net-socket.ts";
import type { Handshake } from "./net-websocket.ts";

const OPENED_PER_MINUTE = 60;
const PARTS_PER_MINUTE = 12_000;

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
    const mine = connectionsOf(circumstances);
    const { number, raw } = await mine.make(
      circumstances,
      (signal) => dial(endpoint, grant, signal, mine.lookup),
      async (socket, over) => new TcpSocket(socket, over),
    );
    const { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 } = raw;
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
    const mine = connectionsOf(circumstances);
    const open = http.protocol === "https:" ? dialSecurely : dial;
    const { number, socket } = await mine.make(
      circumstances,
      (signal) => open(endpoint, grant, signal, mine.lookup),
      (raw, over) => HookWebSocket.open(raw, handshake, over),
    );
    return { socket: number, protocol: socket.protocol };
  },
  // No path and no query: both may hold secrets.
  describe: ({ http, endpoint }) => `websocket ${http.protocol === "https:" ? "wss" : "ws"} ${showEndpoint(endpoint)}`,
  propose: ({ endpoint }) => ({ connect: [showEndpoint(endpoint)] }),
  perMinute: () => OPENED_PER_MINUTE,
};

/** A hook's own connection: it was granted, and is there only while it is. */
function openOf(number: number, circumstances: Circumstances): Open | undefined {
  return connectionsOf(circumstances).find(number);
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
    found.isRead = true;
    try {
      const came = await found.socket.read();
      if (came.ended) connectionsOf(circumstances).open.delete(number);
      await connectionsOf(circumstances).reading.take(lengthOf(came.parts), circumstances.signal);
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
      await connectionsOf(circumstances).writing.take(lengthOf(parts), circumstances.signal);
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
