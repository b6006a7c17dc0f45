import type { HostInside } from "./host-inside.ts";
import { isSame } from "./same-json.ts";

/** The members of a hook's answer that differ from what it was shown; `undefined` if none does. In a rehearsal, all count. */
export function changesIn<Answer extends object>(
  { isRehearsal }: Pick<HostInside, "isRehearsal">,
  shown: object,
  answer: Answer,
): Answer | undefined {
  const changed = Object.entries(answer).filter(([member, value]) => isRehearsal || !repeats(shown, member, value));
  return changed.length > 0 ? (Object.fromEntries(changed) as Answer) : undefined;
}

/** True if the member of an event has this very value. */
export const repeats = (shown: object, member: string, value: unknown): boolean =>
  Object.hasOwn(shown, member) && isSame((shown as Record<string, unknown>)[member], value);
