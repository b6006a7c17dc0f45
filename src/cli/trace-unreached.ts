import type { Branch } from "../bundle/protocol.ts";
import type { Asks } from "../grants/schema.ts";
import { isAsked } from "../grants/signs.ts";
import type { HookEvent } from "../hook-api.ts";

/** A branch of a hook's own code that never ran. */
export type Unreached = Omit<Branch, "within">;

/** A branch, and whether it ran. */
export type Counted = Branch & { ran: boolean };

/** Of the branches that never ran, those that are not part of another one, in the order of the code. */
export function unreachedIn(branches: readonly Counted[]): Unreached[] {
  const isOutermost = ({ ran, within }: Counted): boolean =>
    !ran && (within === undefined || branches[within]?.ran === true);
  return branches.filter(isOutermost).map(({ within: _within, ran: _ran, ...branch }) => branch);
}

/** What ran in one of two tries. */
export const ranInEither = (before: readonly Counted[] | undefined, now: readonly Counted[]): Counted[] =>
  now.map((branch, at) => ({ ...branch, ran: branch.ran || before?.[at]?.ran === true }));

/** More of them are a count: `--json` has all. */
const MOST_NAMED = 20;

const WORDS: Record<Branch["kind"], string> = {
  function: "function",
  if: "if",
  else: "else",
  case: "case",
  catch: "catch",
  loop: "loop",
  choice: "expression",
  rest: "what follows",
};

/** What of the code no event here led to, for people. */
export function unreachedNotes(
  { heard, uses }: { heard: readonly string[]; uses: readonly string[] },
  asked: Asks,
  events: readonly HookEvent[],
  branches: readonly Unreached[],
): string[] {
  const sent = new Set<string>(events.map(({ type }) => type));
  const unsent = heard.filter((type) => !sent.has(type));
  const unused = uses.filter((power) => power !== "ui" && !isAsked(asked, power));
  const places = [...new Set(branches.map(({ file, line, kind }) => `${file}:${line} (${WORDS[kind]})`))];
  const named = places.slice(0, MOST_NAMED);
  const more = places.length > named.length ? `, and ${places.length - named.length} more` : "";
  return [
    ...(unsent.length === 0
      ? []
      : [`not reached: no event here was of what it hears: ${unsent.join(", ")}; show it one with --events FILE`]),
    ...(unused.length === 0
      ? []
      : [`not reached: its source seems to use ${unused.join(", ")}, and no event led there`]),
    ...(named.length === 0 ? [] : [`not reached: ${named.join(", ")}${more}`]),
  ];
}
