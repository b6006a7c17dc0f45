import ipaddr from "ipaddr.js";
import Type, { type Static } from "typebox";
import { list, record } from "./algebra.ts";
import { firstFault, type Power } from "./power.ts";

const places = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 200 });

/** `host:port` each: `connect` to places anywhere, `listen` at an address of this machine's alone. */
const netGrant = Type.Object(
  { connect: Type.Optional(places), listen: Type.Optional(places) },
  { additionalProperties: false },
);
export type NetGrant = Static<typeof netGrant>;

const samePlaces = list<string>({ covers: (wide, narrow) => wide === narrow || isSame(wide, narrow) });

export const netPower: Power<typeof netGrant> = {
  schema: netGrant,
  fault: ({ connect = [], listen = [] }) =>
    firstFault(connect, (place) => faultOfPlace("connect", place)) ??
    firstFault(listen, (place) => faultOfPlace("listen", place)),
  ...record<NetGrant>({ connect: samePlaces, listen: samePlaces }),
};

function isSame(one: string, other: string): boolean {
  const place = readPlace(other);
  return place !== undefined && names([one], place);
}

/** One end of a connection, in the one spelling that is compared. */
export interface Place {
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

/** Reads `host:port`; `undefined` for what is none, also for a host that a URL would spell otherwise. */
function readPlace(text: string): Place | undefined {
  const [, host, port] = /^(\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]\\%*]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535 || host.endsWith(".")) return undefined;
  const url = URL.parse(`http://${host}`);
  if (!url || (!host.startsWith("[") && url.hostname !== host.toLowerCase())) return undefined;
  return { host: canonicalHost(url.hostname), port: Number(port) };
}

export const showPlace = ({ host, port }: Place): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** What is wrong with a granted place, if anything. */
function faultOfPlace(power: "connect" | "listen", text: string): string | undefined {
  const place = readPlace(text);
  if (!place || (power === "connect" && place.port === 0))
    return `net.${power} ${text}: no host:port, as in ${power === "listen" ? "127.0.0.1:3333" : "api.example.com:443"}`;
  if (power === "listen" && !isLoopback(place.host))
    return `net.listen ${text}: only 127.0.0.1 and [::1], which no other machine reaches`;
  return undefined;
}

/** The grant names exactly this place. */
export const names = (granted: readonly string[] | undefined, { host, port }: Place): boolean =>
  granted?.some((one) => {
    const place = readPlace(one);
    return place?.host === host && place.port === port;
  }) ?? false;

export const isLoopback = (host: string): boolean => address(host)?.range() === "loopback";
