import { readJson } from "../../sandbox/wire/read-json.ts";
import type { AuditLine } from "../audit/line.ts";
import { attemptOr } from "../base/attempt.ts";
import { type Part, partsOf } from "../grants/parts.ts";
import { powersOf } from "../grants/schema.ts";
import type { EntryState, PowerState } from "./hook.ts";
import { MAX_USED_ENTRIES } from "./limits.ts";

/** What was done by one entry of a grant. */
interface EntryUse {
  part: Part;
  /** How often in the period, and when last in the whole record. */
  used: number;
  last: string;
}

/** The entries of grants by which one power was used, by their text, and the number of uses of which the entry is not known. */
export interface EntryUses {
  known: Map<string, EntryUse>;
  unknown: number;
}

/** Adds what a line says about the entries by which a power was used. */
export function addEntries(entries: Map<string, EntryUses>, power: string, line: AuditLine, used: number): void {
  const uses: EntryUses = entries.get(power) ?? { known: new Map(), unknown: 0 };
  entries.set(power, uses);
  const parts = usedParts(power, line);
  if (parts.length === 0) uses.unknown++;
  for (const part of parts) {
    const before = uses.known.get(part.text);
    if (!before && uses.known.size >= MAX_USED_ENTRIES) uses.unknown++;
    else uses.known.set(part.text, { part, used: (before?.used ?? 0) + used, last: line.time });
  }
}

/** The entries that a line names. What a hook offers is granted by its name, and its lines have that. */
function usedParts(power: string, { grant, value, capability }: AuditLine): Part[] {
  if (capability === undefined && value !== undefined && BY_NAME.has(power)) return partsOf(power, [value]);
  const granted = grant === undefined ? undefined : attemptOr((): unknown => readJson(grant), undefined);
  return attemptOr(() => partsOf(power, granted), []);
}

/** Powers that are used without a request of the hook's. */
const BY_NAME: ReadonlySet<string> = new Set(["tools", "commands"]);

/** How often each entry of a power was used. */
export function entriesOf(
  power: string,
  grant: unknown,
  { known, unknown }: EntryUses = { known: new Map(), unknown: 0 },
): Pick<PowerState, "entries" | "unassigned"> {
  const parts = partsOf(power, grant);
  // Of hearing and blocking, and of limits, no line says by which entry.
  if (parts.length < 2 || power === "events" || power === "limits") return {};
  const entries = parts.slice(0, MAX_USED_ENTRIES).map((part): EntryState => ({ entry: part.text, used: 0 }));
  for (const { part, used, last } of known.values()) {
    // A policy may have left only a part of it then.
    const at = parts.findIndex(({ text }) => text === part.text);
    const entry = entries[at < 0 ? parts.findIndex((one) => covers(one, part)) : at];
    if (!entry) continue;
    entry.used += used;
    entry.lastUse = entry.lastUse !== undefined && entry.lastUse > last ? entry.lastUse : last;
  }
  return { entries, ...(unknown > 0 ? { unassigned: unknown } : {}) };
}

const covers = (wide: Part, narrow: Part): boolean =>
  attemptOr(() => powersOf.covers(wide.powers, narrow.powers), false);
