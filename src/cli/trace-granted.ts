import { resolve } from "node:path";
import { defaultHome } from "../disk/home.ts";
import { defaultCapabilities } from "../grants/grant.ts";
import { limitsOf } from "../grants/limits.ts";
import { type Asks, type Capabilities, type Limits, powersOf } from "../grants/schema.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { findGrant, grantsPath, readGrants } from "../store/grants-text.ts";
import { hooksHere } from "./here.ts";

/** What a hook was granted already, and in which file. */
export interface Granted {
  asks: Asks;
  /** The part of `asks` that belongs into a proposal. */
  proposed: Asks;
  file: string;
}

/**
 * Finds what a hook was granted: in a named file, or else in Cordon's home. An entry may have its name here, its id or its path.
 *
 * @param file the hook's real path
 */
export function grantedTo(file: string, id: string | undefined, named?: string): Granted | undefined {
  const home = defaultHome();
  const grants = named === undefined ? readUserGrants(home) : readGrants(named, true);
  const here = hooksHere(resolve("."), home).find(({ realPath }) => realPath === file);
  const found = findGrant(grants, id ?? file, file);
  // By that name something else may be installed.
  const isOther = named === undefined && found?.digest !== undefined && found !== grants.get(file);
  const entry = (here && grants.get(here.key)) ?? (isOther ? undefined : found);
  if (!entry) return undefined;
  const { capabilities = {}, limits } = entry;
  const powers = named === undefined ? beyondDefaults(capabilities) : capabilities;
  const lifted = limits ? { limits } : {};
  return {
    file: named ?? grantsPath(home),
    asks: { ...capabilities, ...lifted },
    proposed: { ...powers, ...lifted },
  };
}

/** The entry of a user's own hook has what each of them has, whether it needs that or not. */
const beyondDefaults = (powers: Capabilities): Capabilities =>
  Object.fromEntries(
    Object.entries(powers).filter(([power, value]) => !powersOf.covers(defaultCapabilities(), { [power]: value })),
  );

/** What was granted and what a hook tried, as one; and what of that nothing granted covers. */
export function merged(before: Granted | undefined, tried: Asks): Merged {
  if (before === undefined) return { all: tried, missing: tried };
  const { limits: lifted, ...powers } = before.proposed;
  const { limits: grantedLimits, ...granted } = before.asks;
  const { limits, ...wanted } = tried;
  const asks = (all: Capabilities | undefined, more: Limits | undefined): Asks => ({
    ...all,
    ...(more ? { limits: more } : {}),
  });
  return {
    all: asks(powersOf.union(powers, wanted), limitsOf.union(lifted, limits)),
    missing: asks(powersOf.minus(wanted, granted), limitsOf.minus(limits, grantedLimits)),
  };
}

interface Merged {
  all: Asks;
  missing: Asks;
}
