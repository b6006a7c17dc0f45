import type { Deed } from "../deed.ts";
import { html, type Markup } from "./html.ts";
import { thousands } from "./value.ts";

/** How each deed is shown: a sign and a word, since colour alone says nothing to many. */
const SHOWN: { readonly [Name in Deed]: readonly [sign: string, word: string] } = {
  passed: ["✓", "passed"],
  changed: ["↻", "changed"],
  blocked: ["■", "blocked"],
  monitored: ["□", "would block"],
  asked: ["?", "asked you"],
  used: ["✓", "allowed"],
  refused: ["✕", "refused"],
  decided: ["●", "decided"],
  failed: ["!", "failed"],
  other: ["·", "noted"],
};

export function deedBadge(deed: Deed): Markup {
  const [sign, word] = SHOWN[deed];
  return html`<span class="badge ${deed}"><span aria-hidden="true">${sign}</span> ${word}</span>`;
}

/** `3 blocked, 1 refused`: the deeds of a session that a person wants to see first, and how many others there are. */
export function deedCounts(counts: Partial<Record<Deed, number>>): string {
  const order: readonly Deed[] = ["blocked", "monitored", "changed", "refused", "failed", "decided", "used", "passed"];
  const shown = order.flatMap((deed) => (counts[deed] ? [`${thousands(counts[deed])} ${SHOWN[deed][1]}`] : []));
  return shown.join(", ") || "nothing of note";
}
