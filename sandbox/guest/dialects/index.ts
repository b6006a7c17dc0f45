import type { DialectName } from "../../protocol.ts";
import type { DialectKind } from "../dialect.ts";
import type { Namespace } from "../exports.ts";
import { interceptors } from "./interceptors.ts";
import { openclaw } from "./openclaw.ts";
import { pi } from "./pi.ts";
import { strands } from "./strands.ts";

const KINDS: Readonly<Record<DialectName, DialectKind>> = { pi, interceptors, openclaw, strands };

/** The dialect of a bundle: the one that is named, else the one that what it exports looks like, else pi's. */
export function dialectOf(named: DialectName | "", namespace: Namespace): [DialectName, DialectKind] {
  const name =
    named || (["strands", "openclaw", "interceptors"] as const).find((one) => KINDS[one].recognises(namespace)) || "pi";
  return [name, KINDS[name]];
}
