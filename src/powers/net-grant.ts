import ipaddr from "ipaddr.js";
import type { Static } from "typebox";
import Type from "../base/type.ts";
import { list, record } from "./algebra.ts";
import { firstFault, type Power } from "./power.ts";

const endpoints = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 200, description });

const netGrant = Type.Object(
  {
    connect: Type.Optional(endpoints("Where it may connect to, each as host:port.")),
    listen: Type.Optional(endpoints("Where it may listen, each as address:port of this machine. Port 0: any.")),
  },
  { additionalProperties: false, description: "Endpoints that it may reach, or serve." },
);
export type NetGrant = Static<typeof netGrant>;

const sameEndpoints = list<string>({ covers: (wide, narrow) => wide === narrow || isSame(wide, narrow) });

const ENDPOINT = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]\\%*]+):(\d{1,5})$/;

export const netPower: Power<typeof netGrant> = {
  schema: netGrant,
  fault: ({ connect = [], listen = [] }) =>
    firstFault(connect, (endpoint) => faultOfEndpoint("connect", endpoint)) ??
    firstFault(listen, (endpoint) => faultOfEndpoint("listen", endpoint)),
  published: {
    properties: {
      connect: { items: { pattern: `${ENDPOINT.source}(?<!:0+)` } },
      listen: { items: { pattern: `^(?=127\\.|\\[[0-9A-Fa-f:]+)${ENDPOINT.source.slice(1)}` } },
    },
  },
  ...record<NetGrant>({ connect: sameEndpoints, listen: sameEndpoints }),
};

function isSame(one: string, other: string): boolean {
  const endpoint = readEndpoint(other);
  return endpoint !== undefined && names([one], endpoint);
}

/** One end of a connection, in the one spelling that is compared. */
export interface Endpoint {
  /** A name in lower case, or an address; IPv6 without brackets. */
  host: string;
  port: number;
}

const address = (host: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(host) ? ipaddr.process(host) : undefined;

export const isAddress = (host: string): boolean => address(host) !== undefined;

/** A host as the URL parser leaves it, with an IPv4 address inside IPv6 as what it is. */
export function canonicalHost(host: string): string {
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  return address(bare)?.toString() ?? bare.toLowerCase();
}

/** Reads `host:port`; `undefined` for any other text, also for a host that a URL would spell otherwise. */
function readEndpoint(text: string): Endpoint | undefined {
  const [, host, port] = ENDPOINT.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535 || host.endsWith(".")) return undefined;
  const url = URL.parse(`http://${host}`);
  if (!url || (!host.startsWith("[") && url.hostname !== host.toLowerCase())) return undefined;
  return { host: canonicalHost(url.hostname), port: Number(port) };
}

export const showEndpoint = ({ host, port }: Endpoint): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** What is wrong with a granted endpoint, if anything. */
function faultOfEndpoint(power: "connect" | "listen", text: string): string | undefined {
  const endpoint = readEndpoint(text);
  if (!endpoint || (power === "connect" && endpoint.port === 0))
    return `net.${power} ${text}: no host:port, as in ${power === "listen" ? "127.0.0.1:3333" : "api.example.com:443"}`;
  if (power === "listen" && !isLoopback(endpoint.host))
    return `net.listen ${text}: only 127.0.0.1 and [::1], which no other machine reaches`;
  return undefined;
}

/** The grant names exactly this endpoint. */
export const names = (granted: readonly string[] | undefined, { host, port }: Endpoint): boolean =>
  granted?.some((one) => {
    const endpoint = readEndpoint(one);
    return endpoint?.host === host && endpoint.port === port;
  }) ?? false;

/** The grant names this host, at any port. */
export const namesHost = (granted: readonly string[] | undefined, host: string): boolean =>
  granted?.some((one) => readEndpoint(one)?.host === canonicalHost(host)) ?? false;

export const isLoopback = (host: string): boolean => address(host)?.range() === "loopback";
