import type { IncomingMessage } from "node:http";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { connectionsOf } from "./net-connections.ts";
import { endpointOf } from "./net-endpoint.ts";
import type { Asked } from "./net-exchange.ts";
import { canonicalHost, type Endpoint, isLoopback, type NetGrant, names, showEndpoint } from "./net-grant.ts";
import { checkHeaders, MAX_NAME, TOKEN } from "./net-limits.ts";
import { names as resolving } from "./net-names.ts";
import type { HookServer, Response } from "./net-serve.ts";
import { ArrivingBody } from "./net-socket.ts";
import { sockets } from "./net-sockets.ts";
import { quoted } from "./quoted.ts";

const MAX_URL = 16_384;

/** The grant of a request says where it may be followed to. */
const request: Capability<"net.request", NetGrant, Asked, { asked: Asked; grant: NetGrant }> = {
  read: ([asked]) => {
    const { url, method, headers } = asked;
    checkHeaders(headers, [
      ["URL", url, MAX_URL],
      ["method", method, MAX_NAME],
    ]);
    if (!TOKEN.test(method)) throw new TypeError(`${quoted(method)} is no method of HTTP`);
    // Throws for what is no web address, before anybody is asked about it.
    endpointOf(url);
    return asked;
  },
  check: (asked, grant) =>
    grant && names(grant.connect, endpointOf(asked.url).endpoint) ? { asked, grant } : undefined,
  // Node's HTTP takes 30 ms to load.
  async perform({ checked: { asked, grant } }, circumstances) {
    const { exchange } = await import("./net-exchange.ts");
    const mine = connectionsOf(circumstances);
    const keep = (body: IncomingMessage): number =>
      mine.keepBody(circumstances, (over) => new ArrivingBody(body, over));
    const onRedirect = (method: string, endpoint: Endpoint): void =>
      circumstances.also(`${method.toUpperCase()} ${showEndpoint(endpoint)}, after a redirect`);
    return exchange(asked, grant, circumstances.signal, mine, { onRedirect, ...(asked.streams ? { keep } : {}) });
  },
  // No path and no query: both may hold secrets.
  describe: ({ method, url }) => `${method.toUpperCase()} ${showEndpoint(endpointOf(url).endpoint)}`,
  propose: ({ url }) => ({ connect: [showEndpoint(endpointOf(url).endpoint)] }),
  // A redirect leads elsewhere, and so may what still arrives come from there.
  reaches: true,
  waits: "program",
  perMinute: () => 120,
};

/** Servers that one isolate may have at once. */
const MAX_SERVERS = 4;

/** Requests that a hook's servers take in a minute. */
const SERVED_PER_MINUTE = 3000;

/** Servers of each hook, by number. */
const servers = new WeakMap<object, { last: number; byNumber: Map<number, HookServer> }>();

function serversOf({ hook }: Circumstances): { last: number; byNumber: Map<number, HookServer> } {
  const mine = servers.get(hook) ?? { last: 0, byNumber: new Map() };
  servers.set(hook, mine);
  return mine;
}

const listen: Capability<"net.listen", NetGrant, Endpoint> = {
  // Node's own default is every address of the machine: here it is the one that only this machine reaches.
  read: ([host, port]) => ({
    host: host === "" || host === "localhost" ? "127.0.0.1" : canonicalHost(host),
    port,
  }),
  check: (endpoint, grant) => (names(grant?.listen, endpoint) && isLoopback(endpoint.host) ? endpoint : undefined),
  async perform({ checked: endpoint }, circumstances) {
    const { HookServer } = await import("./net-serve.ts");
    const mine = serversOf(circumstances);
    if (mine.byNumber.size >= MAX_SERVERS)
      throw new CordonError("RATE_LIMITED", `a hook may have ${MAX_SERVERS} servers at once`);
    const number = ++mine.last;
    const over = new AbortController();
    const server = new HookServer(() => {
      mine.byNumber.delete(number);
      over.abort();
    });
    mine.byNumber.set(number, server);
    circumstances.last(() => server.close(), over.signal);
    try {
      return { server: number, ...(await server.listen(endpoint)) };
    } catch (error) {
      server.close();
      throw error;
    }
  },
  describe: (endpoint) => `listen ${showEndpoint(endpoint)}`,
  propose: (endpoint) => (isLoopback(endpoint.host) ? { listen: [showEndpoint(endpoint)] } : undefined),
  perMinute: () => 60,
};

/** A server of the hook's own: it was granted, and is there only while it is. Who has none by that number does nothing. */
const serverOf = (number: number, circumstances: Circumstances): HookServer | undefined =>
  serversOf(circumstances).byNumber.get(number);

/** Takes the next request of a server of this hook's; null after the server was closed. */
const accept: Capability<"net.accept", NetGrant, number, HookServer> = {
  read: ([server]) => server,
  without: (server, circumstances) => (serverOf(server, circumstances) ? undefined : { value: null }),
  check: (server, _grant, circumstances) => serverOf(server, circumstances),
  perform: async ({ checked: server }) => (await server.next()) ?? null,
  describe: () => "accept",
  perMinute: () => SERVED_PER_MINUTE,
};

/** Closes a server of this hook's. */
const unlisten: Capability<"net.unlisten", NetGrant, number, HookServer> = {
  ...accept,
  async perform({ checked: server }) {
    server.close();
    return null;
  },
  describe: () => "unlisten",
};

interface Responding {
  readonly server: number;
  readonly id: number;
  readonly response: Response;
}

const respond: Capability<"net.respond", NetGrant, Responding, Responding & { found: HookServer }> = {
  read: ([server, id, response]) => {
    const { status, statusText, headers } = response;
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw Object.assign(new RangeError(`Invalid status code: ${status}`), { code: "ERR_HTTP_INVALID_STATUS_CODE" });
    checkHeaders(headers, [["status text", statusText, MAX_NAME]]);
    return { server, id, response };
  },
  without: ({ server }, circumstances) => (serverOf(server, circumstances) ? undefined : { value: false }),
  check(responding, _grant, circumstances) {
    const found = serverOf(responding.server, circumstances);
    return found && { ...responding, found };
  },
  perform: async ({ checked: { found, id, response } }) => found.answer(id, response),
  describe: ({ response }) => `respond ${response.status}`,
  perMinute: () => SERVED_PER_MINUTE,
};

export const net = {
  ...sockets,
  ...resolving,
  ...sealed("net.request", request),
  ...sealed("net.listen", listen),
  ...sealed("net.accept", accept),
  ...sealed("net.respond", respond),
  ...sealed("net.unlisten", unlisten),
};
