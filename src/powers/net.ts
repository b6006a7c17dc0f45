import type { Headers } from "../../sandbox/wire/operations.ts";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { type Asked, endpointOf, exchange } from "./net-exchange.ts";
import { canonicalHost, type Endpoint, isLoopback, type NetGrant, names, showEndpoint } from "./net-grant.ts";
import { HookServer, type Response } from "./net-serve.ts";
import { quoted } from "./quoted.ts";

type Grant = NetGrant;

const MAX_URL = 16_384;
const MAX_NAME = 256;
const MAX_VALUE = 32_768;
const MAX_HEADERS = 100;

/** Throws for what is larger than any honest request's: an error to the hook. */
function checkSizes(pairs: Headers, texts: readonly [what: string, text: string, most: number][]): void {
  if (pairs.length > MAX_HEADERS) throw new RangeError(`${pairs.length} headers are more than ${MAX_HEADERS}`);
  const all = [
    ...texts,
    ...pairs.flatMap(([name, value]): [string, string, number][] => [
      ["header's name", name, MAX_NAME],
      ["header's value", value, MAX_VALUE],
    ]),
  ];
  for (const [what, text, most] of all)
    if (text.length > most) throw new RangeError(`a ${what} of ${text.length} characters is over the limit of ${most}`);
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Leave to make one request, and to follow it where the grant leads. */
class NetPermit {
  readonly asked: Asked;
  readonly grant: Grant;

  private constructor(asked: Asked, grant: Grant) {
    this.asked = asked;
    this.grant = grant;
  }

  static check(asked: Asked, grant: Grant | undefined): NetPermit | undefined {
    return grant && names(grant.connect, endpointOf(asked.url).endpoint) ? new NetPermit(asked, grant) : undefined;
  }
}

const request: Capability<Grant, Asked, NetPermit, "net.request"> = {
  capability: "net",
  read: ([asked]) => {
    const { url, method, headers } = asked;
    checkSizes(headers, [
      ["URL", url, MAX_URL],
      ["method", method, MAX_NAME],
    ]);
    if (!TOKEN.test(method)) throw new TypeError(`${quoted(method)} is no method of HTTP`);
    // Throws for what is no web address, before anybody is asked about it.
    endpointOf(url);
    return asked;
  },
  check: NetPermit.check,
  perform: ({ asked, grant }, { signal }) => exchange(asked, grant, signal),
  // No path and no query: both may hold secrets.
  describe: ({ method, url }) => `${method.toUpperCase()} ${showEndpoint(endpointOf(url).endpoint)}`,
  propose: ({ url }) => ({ connect: [showEndpoint(endpointOf(url).endpoint)] }),
  waits: true,
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

/** Leave to listen at one endpoint of this machine. */
class ListenPermit {
  readonly endpoint: Endpoint;

  private constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  static check(endpoint: Endpoint, grant: Grant | undefined): ListenPermit | undefined {
    return names(grant?.listen, endpoint) && isLoopback(endpoint.host) ? new ListenPermit(endpoint) : undefined;
  }
}

/** Leave to use a server of the hook's own: it was granted, and is there only while it is. */
class ServerPermit<Of extends object> {
  readonly server: HookServer | undefined;
  readonly asked: Of;

  private constructor(server: HookServer | undefined, asked: Of) {
    this.server = server;
    this.asked = asked;
  }

  static check<Of extends { server: number }>(asked: Of, circumstances: Circumstances): ServerPermit<Of> {
    return new ServerPermit(serversOf(circumstances).byNumber.get(asked.server), asked);
  }
}

const listen: Capability<Grant, Endpoint, ListenPermit, "net.listen"> = {
  capability: "net",
  // Node's own default is every address of the machine: here it is the one that only this machine reaches.
  read: ([host, port]) => ({
    host: host === "" || host === "localhost" ? "127.0.0.1" : canonicalHost(host),
    port,
  }),
  check: ListenPermit.check,
  async perform({ endpoint }, circumstances) {
    const mine = serversOf(circumstances);
    if (mine.byNumber.size >= MAX_SERVERS)
      throw new CordonError("RATE_LIMITED", `a hook may have ${MAX_SERVERS} servers at once`);
    const number = ++mine.last;
    const server = new HookServer(() => {
      mine.byNumber.delete(number);
      forget();
    });
    const forget = circumstances.last(() => server.close());
    mine.byNumber.set(number, server);
    try {
      return { server: number, ...(await server.listen(endpoint)) };
    } catch (error) {
      server.close();
      throw error;
    }
  },
  describe: (endpoint) => `listen ${showEndpoint(endpoint)}`,
  propose: (endpoint) => (isLoopback(endpoint.host) ? { listen: [showEndpoint(endpoint)] } : undefined),
  waits: false,
  perMinute: () => 60,
};

/** Takes the next request of a server of this hook's; null when there is none any more. */
type OfServer = { server: number };

const accept: Capability<Grant, OfServer, ServerPermit<OfServer>, "net.accept"> = {
  capability: "net",
  read: ([server]) => ({ server }),
  check: (asked, _grant, circumstances) => ServerPermit.check(asked, circumstances),
  perform: async ({ server }) => (await server?.next()) ?? null,
  describe: () => "accept",
  propose: () => undefined,
  waits: false,
  perMinute: () => SERVED_PER_MINUTE,
};

/** Closes a server of this hook's. */
const unlisten: Capability<Grant, OfServer, ServerPermit<OfServer>, "net.unlisten"> = {
  ...accept,
  async perform({ server }) {
    server?.close();
    return null;
  },
  describe: () => "unlisten",
};

type Answered = OfServer & { id: number; response: Response };

const respond: Capability<Grant, Answered, ServerPermit<Answered>, "net.respond"> = {
  capability: "net",
  read: ([server, id, response]) => {
    if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599)
      throw Object.assign(new RangeError(`Invalid status code: ${response.status}`), {
        code: "ERR_HTTP_INVALID_STATUS_CODE",
      });
    checkSizes(response.headers, [["status text", response.statusText, MAX_NAME]]);
    return { server, id, response };
  },
  check: (asked, _grant, circumstances) => ServerPermit.check(asked, circumstances),
  perform: async ({ server, asked: { id, response } }) => server?.answer(id, response) ?? false,
  describe: ({ response }) => `respond ${response.status}`,
  propose: () => undefined,
  waits: false,
  perMinute: () => SERVED_PER_MINUTE,
};

export const net = {
  "net.request": sealed(request),
  "net.listen": sealed(listen),
  "net.accept": sealed(accept),
  "net.respond": sealed(respond),
  "net.unlisten": sealed(unlisten),
};
