import { isDecisiveVariable } from "../../wire/environment.ts";
import { fault, unavailable } from "./fault.ts";
import { grantedNames, env as visible } from "./process-env.ts";

/** What programs of a hook get anyway: no pager, since there is no terminal, and no network for git beyond its grant. */
const isGiven = (name: string, value: string): boolean =>
  name === "GIT_ALLOW_PROTOCOL" || (/^(GIT_)?PAGER$/.test(name) && /^(cat)?$/.test(value));

/** Limits of the host. */
const MAX_VARIABLES = 200;
const MAX_NAME = 128;
const MAX_VALUE = 32_768;

let hasWarned = false;

/**
 * The variables that a hook sets for a program, by the `env` option. What `process.env` has is no such: a program gets the
 * environment of its grant, and a hook cannot hand on what it was granted to read.
 */
export function variablesOf(asked: unknown): [name: string, value: string][] {
  if (asked === undefined || asked === null) return [];
  const given = Object.entries(Object(asked) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const known = new Set(grantedNames());
  const own = given.filter(([name, value]) => !(known.has(name) && visible[name] === value) && !isGiven(name, value));
  const decisive = own.map(([name]) => name).filter(isDecisiveVariable);
  const git = decisive.find((name) => name.startsWith("GIT_"));
  if (git) throw unavailable(`${git} changes what git does: it cannot be set for a program`);
  const sent = own.filter(([name]) => !decisive.includes(name));
  if (decisive.length > 0 && !hasWarned) {
    hasWarned = true;
    console.warn(`child_process: ${decisive.join(", ")} cannot be set for a program: a grant says what it loads`);
  }
  if (
    sent.length > MAX_VARIABLES ||
    sent.some(([name, value]) => name.length > MAX_NAME || value.length > MAX_VALUE || name === "")
  )
    throw fault(Error, "E2BIG", "spawn E2BIG: too many variables, or too long ones");
  return sent;
}
