import { host } from "./host.ts";

/** The variables that the hook set, or deleted (`undefined`). */
const own = new Map<string, string | undefined>();

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Names that promises and `JSON.stringify` read from any object. */
const PROBED = new Set(["then", "toJSON"]);

function lookUp(name: string): string | undefined {
  if (own.has(name)) return own.get(name);
  if (!NAME.test(name) || PROBED.has(name) || name in Object.prototype) return undefined;
  try {
    return host.sync("env.get", [name]) ?? undefined;
  } catch {
    // The host reports the refusal. For the hook, the variable is not set.
    return undefined;
  }
}

const names = (): string[] => host.sync("env.names", []);
/** The names of all variables that are set, as the hook sees them. Asks for none that was not granted. */
export const grantedNames = (): string[] =>
  [...new Set([...names(), ...own.keys()])].filter((name) => lookUp(name) !== undefined);

/** The host has this variable for the hook. Asks for no grant. */
export const isGranted = (name: string): boolean => names().includes(name);

/** `process.env`: the granted variables. Only the hook itself sees the variables that it sets. */
export const env: Record<string, string | undefined> = new Proxy(Object.create(null), {
  get: (_target, name) =>
    typeof name === "string" ? (lookUp(name) ?? Reflect.get(Object.prototype, name)) : undefined,
  has: (_target, name) => typeof name === "string" && lookUp(name) !== undefined,
  set(_target, name, value) {
    if (typeof name === "string") own.set(name, String(value));
    return true;
  },
  deleteProperty(_target, name) {
    if (typeof name === "string") own.set(name, undefined);
    return true;
  },
  ownKeys: grantedNames,
  getOwnPropertyDescriptor(_target, name) {
    const value = typeof name === "string" ? lookUp(name) : undefined;
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
});
