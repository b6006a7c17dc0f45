import Type from "typebox";
import { CordonError } from "../base/errors.ts";
import { type Capability, type Circumstances, letThrough } from "./capability.ts";
import { type Asked, exchange, placeOf } from "./net-exchange.ts";
import { canonicalHost, isLoopback, type NetGrant, names, type Place, showPlace } from "./net-grant.ts";
import { HookServer, type Response } from "./net-serve.ts";
import { quoted } from "./quoted.ts";

type Grant = NetGrant;

const headers = Type.Array(Type.Tuple([Type.String(), Type.String()]));
const body = Type.Tuple([Type.Enum(["utf8", "base64"]), Type.String()]);
const closed = { additionalProperties: false } as const;

const MAX_URL = 16_384;
const MAX_NAME = 256;
const MAX_VALUE = 32_768;
const MAX_HEADERS = 100;

/** Throws for what is larger than any honest request's: an error to the hook. */
function checkSizes(pairs: Asked["headers"], texts: readonly [what: string, text: string, most: number][]): void {
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

const request: Capability<Grant, Asked & { grant?: Grant }> = {
  capability: "net",
  request: Type.Tuple([
    Type.Object(
      {
        method: Type.String(),
        url: Type.String(),
        headers,
        body: Type.Optional(body),
        redirect: Type.Enum(["follow", "manual", "error"]),
        bytes: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
  ]),
  read: ([asked]) => {
    const { url, method, headers } = asked as Asked;
    checkSizes(headers, [
      ["URL", url, MAX_URL],
      ["method", method, MAX_NAME],
    ]);
    if (!TOKEN.test(method)) throw new TypeError(`${quoted(method)} is no method of HTTP`);
    // Throws for what is no web address, before anybody is asked about it.
    placeOf(url);
    return asked as Asked;
  },
  check: (asked, grant) =>
    grant && names(grant.connect, placeOf(asked.url).place) ? letThrough({ ...asked, grant }) : undefined,
  perform: (asked, { signal }) => exchange(asked, asked.grant as Grant, signal),
  // No path and no query: both may hold secrets.
  describe: ({ method, url }) => `${method.toUpperCase()} ${showPlace(placeOf(url).place)}`,
  propose: ({ url }) => ({ connect: [showPlace(placeOf(url).place)] }),
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

const listen: Capability<Grant, Place> = {
  capability: "net",
  request: Type.Tuple([Type.String(), Type.Integer({ minimum: 0, maximum: 65_535 })]),
  // Node's own default is every address of the machine: here it is the one that only this machine reaches.
  read: ([host, port]) => ({
    host: host === "" || host === "localhost" ? "127.0.0.1" : canonicalHost(host as string),
    port: port as number,
  }),
  check: (asked, grant) => (names(grant?.listen, asked) && isLoopback(asked.host) ? letThrough(asked) : undefined),
  async perform(place, circumstances) {
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
      return { server: number, ...(await server.listen(place)) };
    } catch (error) {
      server.close();
      throw error;
    }
  },
  describe: (place) => `listen ${showPlace(place)}`,
  propose: (place) => (isLoopback(place.host) ? { listen: [showPlace(place)] } : undefined),
  waits: false,
  perMinute: () => 60,
};

/** Takes the next request of a server of this hook's; null when there is none any more. */
const accept: Capability<Grant, { server: number }> = {
  capability: "net",
  request: Type.Tuple([Type.Integer({ minimum: 1 })]),
  read: ([server]) => ({ server: server as number }),
  // Its server was granted, and is there only while it is.
  check: (asked) => letThrough(asked),
  perform: async ({ server }, circumstances) => (await serversOf(circumstances).byNumber.get(server)?.next()) ?? null,
  describe: () => "accept",
  propose: () => undefined,
  waits: false,
  perMinute: () => SERVED_PER_MINUTE,
};

/** Closes a server of this hook's. */
const unlisten: Capability<Grant, { server: number }> = {
  ...accept,
  async perform({ server }, circumstances) {
    serversOf(circumstances).byNumber.get(server)?.close();
    return null;
  },
  describe: () => "unlisten",
};

const respond: Capability<Grant, { server: number; id: number; response: Response }> = {
  capability: "net",
  request: Type.Tuple([
    Type.Integer({ minimum: 1 }),
    Type.Integer({ minimum: 1 }),
    Type.Object(
      {
        status: Type.Number(),
        statusText: Type.String(),
        headers,
        body,
      },
      closed,
    ),
  ]),
  read: ([server, id, given]) => {
    const response = given as Response;
    if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599)
      throw Object.assign(new RangeError(`Invalid status code: ${response.status}`), {
        code: "ERR_HTTP_INVALID_STATUS_CODE",
      });
    checkSizes(response.headers, [["status text", response.statusText, MAX_NAME]]);
    return { server: server as number, id: id as number, response };
  },
  check: (asked) => letThrough(asked),
  perform: async ({ server, id, response }, circumstances) =>
    serversOf(circumstances).byNumber.get(server)?.answer(id, response) ?? false,
  describe: ({ response }) => `respond ${response.status}`,
  propose: () => undefined,
  waits: false,
  perMinute: () => SERVED_PER_MINUTE,
};

export const net = {
  "net.request": request,
  "net.listen": listen,
  "net.accept": accept,
  "net.respond": respond,
  "net.unlisten": unlisten,
};
