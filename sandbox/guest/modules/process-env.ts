import { host } from "./host.ts";

/** What programs of all kinds look for and get on without: not worth a question to a person. */
const COMMON = new Set(["CI", "COLORTERM", "DEBUG", "FORCE_COLOR", "NODE_DEBUG", "NODE_ENV", "NO_COLOR", "TERM"]);

const known = new Map<string, string | undefined>();

function lookUp(name: string): string | undefined {
  if (known.has(name)) return known.get(name);
  let value: string | undefined;
  try {
    const granted = COMMON.has(name) && !names().includes(name) ? null : host.sync("env.get", [name]);
    value = typeof granted === "string" ? granted : undefined;
  } catch {
    // Refused and reported: to the hook it is a variable that is not set.
    value = undefined;
  }
  known.set(name, value);
  return value;
}

const names = (): string[] => host.sync("env.names", []) as string[];
const set = (): string[] => {
  for (const name of names()) if (!known.has(name)) lookUp(name);
  return [...known].filter(([, value]) => value !== undefined).map(([name]) => name);
};

/** `process.env`: the granted variables. What a hook sets is its own, and only it sees it. */
export const env: Record<string, string | undefined> = new Proxy(Object.create(null), {
  get: (_target, name) => (typeof name === "string" ? lookUp(name) : undefined),
  has: (_target, name) => typeof name === "string" && lookUp(name) !== undefined,
  set(_target, name, value) {
    if (typeof name === "string") known.set(name, String(value));
    return true;
  },
  deleteProperty(_target, name) {
    if (typeof name === "string") known.set(name, undefined);
    return true;
  },
  ownKeys: set,
  getOwnPropertyDescriptor(_target, name) {
    const value = typeof name === "string" ? lookUp(name) : undefined;
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
});
