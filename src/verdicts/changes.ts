import type { HostInside } from "./host-inside.ts";
import { isWrittenAs, jsonOf } from "./same-json.ts";

/** The members of a hook's answer that differ from what it was shown; `undefined` if none does. In a rehearsal, all count. */
export function changesIn<Answer extends object>(
  { isRehearsal }: Pick<HostInside, "isRehearsal">,
  shown: object,
  answer: Answer,
): Answer | undefined {
  const changed = Object.entries(answer).filter(([member, value]) => isRehearsal || !repeats(shown, member, value));
  return changed.length > 0 ? (Object.fromEntries(changed) as Answer) : undefined;
}

/** The JSON of members of what hooks are shown. Each of them may repeat these, and a conversation may have 50 MB. */
const written = new WeakMap<object, Map<string, string | undefined>>();

function textOf(shown: object, member: string): string | undefined {
  const texts = written.get(shown) ?? new Map<string, string | undefined>();
  written.set(shown, texts);
  if (!texts.has(member)) texts.set(member, jsonOf((shown as Record<string, unknown>)[member]));
  return texts.get(member);
}

/** True if the member of an event has this very value. `shown`: made for the hooks that are asked now. */
export const repeats = (shown: object, member: string, value: unknown): boolean =>
  Object.hasOwn(shown, member) && isWrittenAs(textOf(shown, member), value);
