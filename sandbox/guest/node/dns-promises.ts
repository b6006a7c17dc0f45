/** `node:dns/promises` over the host's net power. */
import {
  type Address,
  lookup as ask,
  CODES,
  familyOf,
  getDefaultResultOrder,
  resolve as records,
  setDefaultResultOrder,
} from "./dns-names.ts";
import { notOffered } from "./host.ts";

/** Wrong arguments throw at once, as in Node. */
export const lookup = (hostname: unknown, options?: unknown): Promise<Address | Address[]> => ask(hostname, options)();
export const resolve4 = (name: unknown, options?: unknown): Promise<unknown[]> => records(name, 4, options)();
export const resolve6 = (name: unknown, options?: unknown): Promise<unknown[]> => records(name, 6, options)();
export const resolve = (name: unknown, type?: unknown): Promise<unknown[]> =>
  records(name, familyOf(type), undefined)();

export class Resolver {
  constructor() {
    notOffered("dns", "Resolver", "dns.resolve4 asks the name servers of this machine")();
  }
}
export const lookupService = notOffered("dns", "lookupService");
export const reverse = notOffered("dns", "reverse");
export const setServers = notOffered("dns", "setServers");
export const getServers = notOffered("dns", "getServers");
export const resolveAny = notOffered("dns", "resolveAny");
export const resolveCaa = notOffered("dns", "resolveCaa");
export const resolveCname = notOffered("dns", "resolveCname");
export const resolveMx = notOffered("dns", "resolveMx");
export const resolveNaptr = notOffered("dns", "resolveNaptr");
export const resolveNs = notOffered("dns", "resolveNs");
export const resolvePtr = notOffered("dns", "resolvePtr");
export const resolveSoa = notOffered("dns", "resolveSoa");
export const resolveSrv = notOffered("dns", "resolveSrv");
export const resolveTlsa = notOffered("dns", "resolveTlsa");
export const resolveTxt = notOffered("dns", "resolveTxt");

export const {
  NODATA,
  FORMERR,
  SERVFAIL,
  NOTFOUND,
  NOTIMP,
  REFUSED,
  BADNAME,
  BADFAMILY,
  CONNREFUSED,
  TIMEOUT,
  CANCELLED,
} = CODES;
export { getDefaultResultOrder, setDefaultResultOrder };

export default {
  ...CODES,
  lookup,
  resolve,
  resolve4,
  resolve6,
  getDefaultResultOrder,
  setDefaultResultOrder,
  Resolver,
  lookupService,
  reverse,
  setServers,
  getServers,
  resolveAny,
  resolveCaa,
  resolveCname,
  resolveMx,
  resolveNaptr,
  resolveNs,
  resolvePtr,
  resolveSoa,
  resolveSrv,
  resolveTlsa,
  resolveTxt,
};
