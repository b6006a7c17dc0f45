/** What both forms of `node:dns` ask, and how they answer. A name is asked for only if `net.connect` names a place there. */
import { fault, wrongType } from "./fault.ts";
import { host, notOffered } from "./host.ts";
import { isIP } from "./net.ts";

export interface Address {
  address: string;
  family: number;
}

const invalid = (what: string, received: unknown): Error =>
  fault(TypeError, "ERR_INVALID_ARG_VALUE", `${what}. Received ${JSON.stringify(received) ?? String(received)}`);

const ORDERS = ["verbatim", "ipv4first", "ipv6first"];
let usualOrder = "verbatim";

export const getDefaultResultOrder = (): string => usualOrder;

export function setDefaultResultOrder(order: unknown): void {
  if (!ORDERS.includes(order as string))
    throw invalid(`The argument 'order' must be one of: ${ORDERS.join(", ")}`, order);
  usualOrder = order as string;
}

/** How a name is looked up. `hints` change nothing: only addresses of both kinds are asked for. */
interface Lookup {
  all: boolean;
  family: 0 | 4 | 6;
  order: string;
}

const FAMILIES: ReadonlyMap<unknown, 0 | 4 | 6> = new Map([
  [undefined, 0],
  [0, 0],
  [4, 4],
  [6, 6],
]);

function lookupOf(given: unknown): Lookup {
  const options = (typeof given === "object" && given !== null ? given : { family: given }) as Record<string, unknown>;
  const { all = false, order = usualOrder } = options;
  const family = FAMILIES.get(options.family === null ? undefined : options.family);
  if (family === undefined) throw invalid("The property 'options.family' must be one of: 0, 4, 6", options.family);
  if (typeof all !== "boolean") throw wrongType("options.all", "of type boolean");
  if (!ORDERS.includes(order as string))
    throw invalid(`The property 'options.order' must be one of: ${ORDERS.join(", ")}`, order);
  return { all, family, order: order as string };
}

const FIRST: Readonly<Record<string, number>> = { ipv4first: 4, ipv6first: 6 };

/** Checks the arguments at once, and asks later. */
export function lookup(hostname: unknown, given: unknown): () => Promise<Address | Address[]> {
  if (hostname !== undefined && hostname !== null && typeof hostname !== "string")
    throw wrongType("hostname", "of type string");
  const { all, family, order } = lookupOf(given);
  if (!hostname) throw invalid("The argument 'hostname' must be a non-empty string", hostname);
  return async () => {
    const known = isIP(hostname);
    const found = known
      ? [{ address: hostname, family: known }]
      : (await ask(hostname, "lookup", "getaddrinfo")).filter((one) => family === 0 || one.family === family);
    const [first] = found;
    if (!first) throw failure("ENOTFOUND", "getaddrinfo", hostname);
    const wanted = FIRST[order];
    const ordered =
      wanted === undefined
        ? found
        : [...found.filter((one) => one.family === wanted), ...found.filter((one) => one.family !== wanted)];
    return all ? ordered : (ordered[0] ?? first);
  };
}

/** The records of a name: addresses, or with `{ ttl: true }` each with its time to live. */
export function resolve(name: unknown, family: 4 | 6, options: unknown): () => Promise<unknown[]> {
  if (typeof name !== "string") throw wrongType("name", "of type string");
  const wantsTtl = typeof options === "object" && options !== null && "ttl" in options && options.ttl === true;
  return async () => {
    const syscall = family === 4 ? "queryA" : "queryAaaa";
    // No name server is asked for an address.
    if (name === "" || isIP(name)) throw failure("ENOTFOUND", syscall, name);
    const found = await ask(name, family === 4 ? "resolve4" : "resolve6", syscall);
    if (found.length === 0) throw failure("ENODATA", syscall, name);
    return found.map(({ address, ttl = 0 }) => (wantsTtl ? { address, ttl } : address));
  };
}

/** The number of an error of `getaddrinfo`, as libuv has it. */
const NUMBERS: Readonly<Record<string, number>> = { ENOTFOUND: -3008, EAI_AGAIN: -3001 };

function failure(code: string, syscall: string, hostname: string): Error {
  const errno = syscall === "getaddrinfo" ? NUMBERS[code] : undefined;
  return fault(Error, code, `${syscall} ${code} ${hostname}`, { errno, syscall, hostname });
}

/** The host's own refusals stay as they are. */
const OF_HOST = new Set(["NOT_GRANTED", "RATE_LIMITED", "ABORT_ERR"]);

let last: Promise<unknown> = Promise.resolve();

async function ask(name: string, question: "lookup" | "resolve4" | "resolve6", syscall: string) {
  // What is no name of a host is never found.
  if (name.length > 255 || !/^[^\s:/?#@[\]\\%*]+$/.test(name)) throw failure("ENOTFOUND", syscall, name);
  // One after the other: the host takes few at once.
  const turn = last.then(() => host.call("net.resolve", [name, question]));
  last = turn.catch(() => {});
  try {
    return await turn;
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw typeof code !== "string" || OF_HOST.has(code) ? error : failure(code, syscall, name);
  }
}

/** Records that Node asks for, and no hook can. */
const OTHERS = ["ANY", "CAA", "CNAME", "MX", "NAPTR", "NS", "PTR", "SOA", "SRV", "TLSA", "TXT"];
const RECORDS: ReadonlyMap<unknown, 4 | 6> = new Map([
  [undefined, 4],
  ["A", 4],
  ["AAAA", 6],
]);

/** The family of a record type; throws for others. */
export function familyOf(type: unknown): 4 | 6 {
  const family = RECORDS.get(type);
  if (family !== undefined) return family;
  if (OTHERS.includes(type as string)) return notOffered("dns", `resolve(${type})`)();
  throw invalid("The argument 'rrtype' is invalid", type);
}

/** The codes of errors, by the names that both modules give them. */
export const CODES = {
  NODATA: "ENODATA",
  FORMERR: "EFORMERR",
  SERVFAIL: "ESERVFAIL",
  NOTFOUND: "ENOTFOUND",
  NOTIMP: "ENOTIMP",
  REFUSED: "EREFUSED",
  BADNAME: "EBADNAME",
  BADFAMILY: "EBADFAMILY",
  CONNREFUSED: "ECONNREFUSED",
  TIMEOUT: "ETIMEOUT",
  CANCELLED: "ECANCELLED",
} as const;
