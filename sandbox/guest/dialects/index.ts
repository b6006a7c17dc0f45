import type { DialectName } from "../../wire/messages.ts";
import type { Namespace } from "../core/exports.ts";
import type { DialectKind } from "./dialect.ts";
import { interceptors } from "./interceptors/index.ts";
import { openclaw } from "./openclaw/index.ts";
import { pi } from "./pi/index.ts";
import { strands } from "./strands/index.ts";

/** In the order in which they are tried on a bundle: the most specific first. */
const KINDS: Readonly<Record<DialectName, DialectKind>> = { strands, openclaw, interceptors, pi };

/** The dialect of a bundle: the named one, or else the first that recognises its exports, or else pi's. */
export function dialectOf(named: DialectName | "", namespace: Namespace): [DialectName, DialectKind] {
  if (named) return [named, KINDS[named]];
  const kinds = Object.entries(KINDS) as [DialectName, DialectKind][];
  return kinds.find(([, kind]) => kind.recognises(namespace)) ?? ["pi", pi];
}
