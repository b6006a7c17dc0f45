import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { OPERATIONS } from "../../sandbox/wire/operations.ts";
import { didYouMean } from "../base/near-names.ts";
import { AsksShape } from "../grants/schema.ts";
import { Refused } from "./common.ts";

/** Powers, their operations and events, of which lines of the record can be. It is no closed list: what the record has is known, too. */
const KNOWN = [
  ...Object.keys(AsksShape.properties),
  ...Object.keys(OPERATIONS),
  ...EVENT_NAMES,
  // What happens to hooks and to Cordon itself.
  ...["start", "load", "crash", "grant", "disable", "decision", "policy", "telemetry", "error"],
];

/** Throws for a word that no line is about. `found`: what lines of the record are about. */
export function refuseUnknownPower(word: string, found: ReadonlySet<string>): void {
  const known = new Set([...KNOWN, ...found]);
  if (known.has(word)) return;
  const powers = Object.keys(AsksShape.properties).join(", ");
  throw new Refused(
    `no line is about ${word}; it is the type of an event, or a power: ${powers}${didYouMean(word, known)}`,
  );
}
