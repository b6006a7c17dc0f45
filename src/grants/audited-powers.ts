import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { OPERATIONS } from "../../sandbox/wire/operations.ts";
import { didYouMean } from "../base/near-names.ts";
import { AsksShape } from "./schema.ts";

/** Powers, their operations and events, of which lines of the record can be. It is no closed list: what the record has is known, too. */
const KNOWN = [
  ...Object.keys(AsksShape.properties),
  ...Object.keys(OPERATIONS),
  ...EVENT_NAMES,
  // What happens to hooks and to Cordon itself.
  ...["start", "load", "crash", "grant", "disable", "decision", "policy", "telemetry", "error"],
];

/** Why no line is about this word, if none can be. `found`: what lines of the record are about. */
export function powerFault(word: string, found: ReadonlySet<string>): string | undefined {
  const known = new Set([...KNOWN, ...found]);
  if (known.has(word)) return undefined;
  const powers = Object.keys(AsksShape.properties).join(", ");
  return `no line is about ${word}; it is the type of an event, or a power: ${powers}${didYouMean(word, known)}`;
}
