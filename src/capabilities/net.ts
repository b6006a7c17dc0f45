import Type from "typebox";
import { CordonError } from "../errors.ts";
import { type Capability, type Circumstances, letThrough } from "./capability.ts";
import { type Asked, exchange, placeOf } from "./net-exchange.ts";
import { canonicalHost, isLoopback, type NetGrant, names, type Place, showPlace } from "./net-grant.ts";
import { HookServer, type Response } from "./net-serve.ts";

type Grant = NetGrant;

const headers = Type.Array(Type.Tuple([Type.String({ maxLength: 256 }), Type.String({ maxLength: 32_768 })]), {
  maxItems: 100,
});
const body = Type.Tuple([Type.Enum(["utf8", "base64"]), Type.String()]);
const closed = { additionalProperties: false } as const;

const request: Capability<Grant, Asked & { grant?: Grant }> = {
  capability: "net",
  request: Type.Tuple([
    Type.Object(
      {
        method: Type.String({ maxLength: 64 }),
        url: Type.String({ maxLength: 16_384 }),
        headers,
        body: Type.Optional(body),
        redirect: Type.Enum(["follow", "manual", "error"]),
      },
      closed,
    ),
  ]),
  read: ([asked]) => {
    // Throws for what is no web address, before anybody is asked about it.
    placeOf((asked as Asked).url);
    return asked as Asked;
  },
  check: (asked, grant) =>
    grant && names(grant.connect, placeOf(asked.url).place) ? letThrough({ ...asked, grant }) : undefined,
  perform: (asked, { signal }) => exchange(asked, asked.grant as Grant, signal),
  // No path and no query: both may hold secrets.
  describe: ({ method, url }) => `${method.toUpperCase()} ${showPlace(placeOf(url).place)}`,
  widen: ({ url }, grant) => ({ ...grant, connect: [...(grant?.connect ?? []), showPlace(placeOf(url).place)] }),
  waits: true,
  perMinute: () => 120,
};

/** Servers that one isolate may have at once. */
const MAX_SERVERS = 4;

interface Servers {
  last: number;
  byNumber: Map<number, HookServer>;
}

/** Servers by the life of the isolate that they belong to. */
const servers = new WeakMap<AbortSignal, Servers>();

function serversOf({ life }: Circumstances): Servers {
  let mine = servers.get(life);
  if (!mine) {
    const made: Servers = { last: 0, byNumber: new Map() };
    servers.set(life, made);
    life.addEventListener("abort", () => {
      for (const server of made.byNumber.values()) server.close();
      made.byNumber.clear();
    });
    mine = made;
  }
  return mine;
}

const listen: Capability<Grant, Place> = {
  capability: "net",
  request: Type.Tuple([Type.String({ maxLength: 64 }), Type.Integer({ minimum: 0, maximum: 65_535 })]),
  // Node's own default is every address of the machine: here it is the one that only this machine reaches.
  read: ([host, port]) => ({
    host: host === "" || host === "localhost" ? "127.0.0.1" : canonicalHost(host as string),
    port: port as number,
  }),
  check: (asked, grant) => (names(grant?.listen, asked) && isLoopback(asked.host) ? letThrough(asked) : undefined),
  async perform(place, circumstances) {
    const { life } = circumstances;
    const mine = serversOf(circumstances);
    if (mine.byNumber.size >= MAX_SERVERS)
      throw new CordonError("RATE_LIMITED", `a hook may have ${MAX_SERVERS} servers at once`);
    const number = ++mine.last;
    const server = new HookServer();
    mine.byNumber.set(number, server);
    try {
      const at = await server.listen(place);
      if (life.aborted) server.close();
      return { server: number, ...at };
    } catch (error) {
      mine.byNumber.delete(number);
      throw error;
    }
  },
  describe: (place) => `listen ${showPlace(place)}`,
  widen: (place, grant) =>
    isLoopback(place.host) ? { ...grant, listen: [...(grant?.listen ?? []), showPlace(place)] } : undefined,
  waits: false,
  perMinute: () => 60,
};

/** Takes the next request of a server of this isolate's. Cancelled, it closes the server. */
const accept: Capability<Grant, { server: number }> = {
  capability: "net",
  request: Type.Tuple([Type.Integer({ minimum: 1 })]),
  read: ([server]) => ({ server: server as number }),
  check: (asked, grant) => (grant?.listen?.length ? letThrough(asked) : undefined),
  async perform({ server: number }, circumstances) {
    const { signal } = circumstances;
    const mine = serversOf(circumstances);
    const server = mine.byNumber.get(number);
    if (!server) return null;
    const close = (): void => {
      mine.byNumber.delete(number);
      server.close();
    };
    if (signal.aborted) close();
    signal.addEventListener("abort", close, { once: true });
    try {
      return await server.next();
    } finally {
      signal.removeEventListener("abort", close);
    }
  },
  describe: () => "accept",
  widen: () => undefined,
  waits: false,
  perMinute: () => 600,
};

const respond: Capability<Grant, { server: number; id: number; response: Response }> = {
  capability: "net",
  request: Type.Tuple([
    Type.Integer({ minimum: 1 }),
    Type.Integer({ minimum: 1 }),
    Type.Object(
      {
        status: Type.Integer({ minimum: 200, maximum: 599 }),
        statusText: Type.String({ maxLength: 256 }),
        headers,
        body,
      },
      closed,
    ),
  ]),
  read: ([server, id, response]) => ({
    server: server as number,
    id: id as number,
    response: response as Response,
  }),
  check: (asked, grant) => (grant?.listen?.length ? letThrough(asked) : undefined),
  perform: async ({ server, id, response }, circumstances) =>
    serversOf(circumstances).byNumber.get(server)?.answer(id, response) ?? false,
  describe: ({ response }) => `respond ${response.status}`,
  widen: () => undefined,
  waits: false,
  perMinute: () => 600,
};

export const net = {
  "net.request": request,
  "net.listen": listen,
  "net.accept": accept,
  "net.respond": respond,
};
