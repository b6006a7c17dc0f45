import type { DialectName } from "../../wire/messages.ts";
import type { Namespace } from "../core/exports.ts";
import type { DialectKind } from "./dialect.ts";
import { interceptors } from "./interceptors/index.ts";
import { openclaw } from "./openclaw/index.ts";
import { pi } from "./pi/index.ts";
import { strands } from "./strands/index.ts";

const KINDS: Readonly<Record<DialectName, DialectKind>> = { pi, interceptors, openclaw, strands };

/** The dialect of a bundle: the one that is named, else the one that what it exports looks like, else pi's. */
export function dialectOf(named: DialectName | "", namespace: Namespace): [DialectName, DialectKind] {
  const name =
    named || (["strands", "openclaw", "interceptors"] as const).find((one) => KINDS[one].recognises(namespace)) || "pi";
  return [name, KINDS[name]];
}
