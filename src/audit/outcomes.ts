import { ERROR_CODES } from "../base/errors.ts";
import { didYouMean } from "../base/near-names.ts";

/** The words of verdicts, which people look for most. */
const VERDICTS = ["pass", "block", "would block", "ask", "rewrite", "withheld", "cancel", "cancelled", "answered"];

/** Words that lines of the record have as their outcome. It is no closed list: a word that the record has is known, too. */
const OUTCOMES: readonly string[] = [
  ...VERDICTS,
  ...["allowed", "pretended", "ran"],
  ...["built", "active", "changed", "starting", "stopped", "failed", "restarted", "pending"],
  ...["added", "accepted", "adopted", "updated", "removed"],
  ...["granted", "revoked", "configured", "disabled", "enabled", "lost", "cleared"],
  ...["deny", "once", "session", "always"].map((answer) => `consent: ${answer}`),
  ...ERROR_CODES,
];

const CODES: ReadonlySet<string> = new Set(ERROR_CODES);

/** Why no line has this outcome, if it is no word of any line. `found`: the outcomes that the record has. */
export function outcomeFault(word: string, found: ReadonlySet<string>): string | undefined {
  if (found.has(word) || OUTCOMES.includes(word)) return undefined;
  const words = OUTCOMES.filter((one) => !one.startsWith("consent: ") && !CODES.has(one));
  const known = `${words.join(", ")}, consent: ANSWER, or a code such as NOT_GRANTED`;
  return `no line has the outcome ${word}; it is one of: ${known}${didYouMean(word, OUTCOMES)}`;
}
