import { type Capabilities, powersOf } from "../../src/grants/schema.ts";
import { mayBlock } from "../../src/powers/events.ts";

/** How much wider a proposal is than the least grant, in entries: one pattern of files, one program, one right to decide. */
export interface Width {
  /** Entries of the proposal that the least grant covers: they are as narrow as can be. */
  least: Capabilities[];
  /** Entries that allow all of an entry of the least grant, and more. */
  wider: Capabilities[];
  /** Entries that are no wider form of any in the least grant. */
  more: Capabilities[];
  /** Entries of the least grant that the proposal does not cover. */
  missing: Capabilities[];
}

export function widthOf(proposal: Capabilities, least: Capabilities): Width {
  const wanted = entriesOf(least);
  const width: Width = {
    least: [],
    wider: [],
    more: [],
    missing: wanted.filter((entry) => !powersOf.covers(proposal, entry)),
  };
  for (const entry of entriesOf(proposal)) {
    const isWider = wanted.some((one) => powersOf.covers(entry, one));
    width[powersOf.covers(least, entry) ? "least" : isWider ? "wider" : "more"].push(entry);
  }
  return width;
}

/** Each entry as a grant of its own. */
const entriesOf = ({ events, ...rest }: Capabilities): Capabilities[] => [
  // Who hears tool calls may block them if nothing else is said.
  ...(events ? partsOf({ ...events, block: mayBlock(events) }) : []).map((part) => ({
    events: { see: [], block: false, ...(part as object) },
  })),
  ...(partsOf(rest) as Capabilities[]),
];

/** The parts of a grant, each within what it is a part of. A right that is left out is not granted. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.map((item) => [item]);
  if (value === false) return [];
  if (typeof value !== "object" || value === null) return [value];
  return Object.entries(value).flatMap(([name, part]) =>
    (isEmpty(part) ? [part] : partsOf(part)).map((one) => ({ [name]: one })),
  );
}

/** Such as `send: {}`, which is a grant at the usual rate. */
const isEmpty = (part: unknown): boolean => JSON.stringify(part) === "{}";
