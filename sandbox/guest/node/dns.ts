/** `node:dns` over the host's net power: addresses of names. */
import { type Address, lookup as ask, familyOf, resolve as records } from "./dns-names.ts";
import promises, {
  getDefaultResultOrder,
  getServers,
  lookupService,
  Resolver,
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
  reverse,
  setDefaultResultOrder,
  setServers,
} from "./dns-promises.ts";
import { wrongType } from "./fault.ts";

type Callback = (error: unknown, ...answers: unknown[]) => void;

/** The last argument, and those before it. */
function split(args: unknown[]): { callback: Callback; options: unknown } {
  const callback = args.at(-1);
  if (typeof callback !== "function") throw wrongType("callback", "of type function");
  return { callback: callback as Callback, options: args.length > 1 ? args[0] : undefined };
}

export function lookup(hostname: unknown, ...args: unknown[]): object {
  const { callback, options } = split(args);
  ask(hostname, options)().then(
    (found) => (Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)),
    (error) => callback(error),
  );
  return {};
}
Object.defineProperty(lookup, Symbol.for("nodejs.util.promisify.custom"), {
  value: (hostname: unknown, options?: unknown): Promise<Address | Address[]> => promises.lookup(hostname, options),
});

function answerTo(work: () => Promise<unknown>, callback: Callback): object {
  work().then(
    (found) => callback(null, found),
    (error) => callback(error),
  );
  return {};
}

export function resolve4(name: unknown, ...args: unknown[]): object {
  const { callback, options } = split(args);
  return answerTo(records(name, 4, options), callback);
}

export function resolve6(name: unknown, ...args: unknown[]): object {
  const { callback, options } = split(args);
  return answerTo(records(name, 6, options), callback);
}

export function resolve(name: unknown, ...args: unknown[]): object {
  const { callback, options: type } = split(args);
  return answerTo(records(name, familyOf(type), undefined), callback);
}

export const [ADDRCONFIG, V4MAPPED, ALL] = [32, 8, 16];
export {
  BADFAMILY,
  BADNAME,
  CANCELLED,
  CONNREFUSED,
  FORMERR,
  NODATA,
  NOTFOUND,
  NOTIMP,
  REFUSED,
  SERVFAIL,
  TIMEOUT,
} from "./dns-promises.ts";
export {
  getDefaultResultOrder,
  getServers,
  lookupService,
  promises,
  Resolver,
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
  reverse,
  setDefaultResultOrder,
  setServers,
};

export default { ...promises, lookup, resolve, resolve4, resolve6, ADDRCONFIG, V4MAPPED, ALL, promises };
