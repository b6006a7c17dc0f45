import { isAbsolute } from "node:path";
import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";
import type { ExecEntry } from "./exec-grant.ts";
import { checkedPath } from "./fs-check.ts";
import { ANY_SUFFIX, exactPattern } from "./fs-proposal.ts";
import type { Session } from "./lent-session.ts";

type Variables = ReadonlyMap<string, string>;

/**
 * What a hook sets for a program, with the real place of the index that git is to use: a file that the entry names as a
 * grant names files to write. `undefined` if the entry does not cover it.
 */
export function withIndex({ env = {} }: ExecEntry, asked: Variables, session: Session): Variables | undefined {
  const place = asked.get(INDEX_VARIABLE);
  if (place === undefined) return asked;
  const named = Object.hasOwn(env, INDEX_VARIABLE) ? env[INDEX_VARIABLE] : undefined;
  if (typeof named !== "string" || !isAbsolute(place)) return undefined;
  const checked = checkedPath(place, [named], "write", false, session);
  return checked && new Map([...asked, [INDEX_VARIABLE, checked.real]]);
}

/** A temporary folder has another name the next time. */
const MADE = /^(\$TMP\/[^/]*[-._])[A-Za-z0-9]{6}(?=\/)/;

/** How a grant names what a hook sets for a program; `undefined` if none could. */
export function namedVariables(asked: Variables, session: Session): ExecEntry["env"] | undefined {
  const place = asked.get(INDEX_VARIABLE);
  if (place === undefined) return Object.fromEntries(asked);
  const named = isAbsolute(place) ? exactPattern(place, session) : undefined;
  return named === undefined
    ? undefined
    : { ...Object.fromEntries(asked), [INDEX_VARIABLE]: named.replace(MADE, `$1${ANY_SUFFIX}`) };
}
