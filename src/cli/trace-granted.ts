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
  const entry = (here && grants.get(here.key)) ?? findGrant(grants, id ?? file, file);
  if (!entry) return undefined;
  const { capabilities = {}, limits } = entry;
  const powers = named === undefined ? beyondDefaults(capabilities) : capabilities;
  return { file: named ?? grantsPath(home), asks: { ...powers, ...(limits ? { limits } : {}) } };
}

/** The entry of a user's own hook has what each of them has, whether it needs that or not. */
const beyondDefaults = (powers: Capabilities): Capabilities =>
  Object.fromEntries(
    Object.entries(powers).filter(([power, value]) => !powersOf.covers(defaultCapabilities(), { [power]: value })),
  );

/** What was granted and what is proposed, as one; and what of the proposal nothing granted covers. */
export function merged(before: Asks | undefined, proposed: Asks): Merged {
  if (before === undefined) return { all: proposed, missing: proposed };
  const { limits: grantedLimits, ...granted } = before;
  const { limits, ...powers } = proposed;
  const asks = (all: Capabilities | undefined, lifted: Limits | undefined): Asks => ({
    ...all,
    ...(lifted ? { limits: lifted } : {}),
  });
  return {
    all: asks(powersOf.union(granted, powers), limitsOf.union(grantedLimits, limits)),
    missing: asks(powersOf.minus(powers, granted), limitsOf.minus(limits, grantedLimits)),
  };
}

interface Merged {
  all: Asks;
  missing: Asks;
}
