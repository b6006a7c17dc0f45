import { delimiter } from "node:path";
import Type from "../base/type.ts";
import { list } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import { firstFault, type Power } from "./power.ts";
import { quoted } from "./quoted.ts";

const envGrant = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  maxItems: 200,
  description: "Variables that it may read: names, or beginnings of names with * at the end.",
});
type Grant = string[];

const NAME = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;

/** What is wrong with a granted name, if anything. */
const faultOfName = (name: string): string | undefined =>
  NAME.test(name) ? undefined : `${name}: neither a variable's name nor the beginning of one and *`;

export const envPower: Power<typeof envGrant> = {
  schema: envGrant,
  fault: (names) => firstFault(names, faultOfName),
  published: { items: { pattern: NAME.source } },
  ...list<string>({
    covers: (wide, narrow) =>
      wide === narrow || (wide.endsWith("*") && narrow.replace(/\*$/, "").startsWith(wide.slice(0, -1))),
  }),
};

/** Not of the environment: the files and folders that decide about the hooks of this session, for a hook that guards them. */
const OWN_PLACES = "CORDON_PLACES";

/**
 * Not of the environment either: how the agent was started, with all its arguments, as JSON. They may hold a prompt or a key, and
 * no beginning of a name covers them.
 */
export const AGENT_ARGV = "CORDON_ARGV";

const SPECIAL = new Set([OWN_PLACES, AGENT_ARGV]);

const covers = (grant: Grant | undefined, name: string): boolean =>
  name === AGENT_ARGV ? grant?.includes(name) === true : envPower.covers(grant, [name]);

const COMMON = new Set(["CI", "COLORTERM", "DEBUG", "FORCE_COLOR", "NODE_DEBUG", "NODE_ENV", "NO_COLOR", "TERM"]);

const get: Capability<"env.get", Grant, string> = {
  read: ([name]) => name,
  check: (name, grant) => (covers(grant, name) ? name : undefined),
  perform: async ({ checked: name }, { session }) => {
    if (name === AGENT_ARGV) return JSON.stringify(process.argv);
    if (name === OWN_PLACES) return session.own.paths.join(delimiter);
    return Object.hasOwn(session.env, name) ? session.env[name] : null;
  },
  describe: quoted,
  // What is not set stays so, whatever a person says.
  isIdle: (name, { session }) => COMMON.has(name) || !(SPECIAL.has(name) || Object.hasOwn(session.env, name)),
  propose: (name) => (faultOfName(name) === undefined ? [name] : undefined),
  perMinute: () => 6000,
};

/** The names that were granted and are set. Needs no grant: without one there are none. */
const names: Capability<"env.names", Grant, undefined, Grant> = {
  read: () => undefined,
  check: (_asked, grant) => grant ?? [],
  perform: async ({ checked: granted }, { session }) =>
    [OWN_PLACES, AGENT_ARGV, ...Object.keys(session.env)].filter((name) => covers(granted, name)),
  describe: () => "names",
  // Each is a line of the record, also without a grant.
  perMinute: () => 2000,
};

export const env = { ...sealed("env.get", get), ...sealed("env.names", names) };
