/**
 * Whether one file pattern means every path that another means. Patterns are compared as automata over the characters of a
 * path, each of whose parts follows a separator; what the matcher in `fs-grant.ts` takes for a match, and this must
 * agree: a test compares them.
 */

/** `deep` stands for any number of parts, `some` for at least one, `any` for characters of one part, `one` for one. */
type Item = { kind: "char"; char: string } | { kind: "one" | "any" | "deep" | "some" };

/** States that are looked at: some patterns have more than anybody wants to wait for. */
const MAX_WORK = 200_000;

/** `undefined` for a pattern with brackets, which the matcher reads in ways of its own. */
function itemsOf(pattern: string): Item[] | undefined {
  if (/[[\]]/.test(pattern)) return undefined;
  const parts = pattern.split("/").filter((part, at, all) => part !== "**" || all[at - 1] !== "**");
  const isOnlyDeep = pattern !== "**" && parts.every((part) => part === "**");
  return parts.flatMap((part, at): Item[] => {
    // The last `**` means what is before it, too, unless that ends in a star.
    if (part === "**") {
      const isLast = at === parts.length - 1;
      return [{ kind: isOnlyDeep || (isLast && parts[at - 1]?.endsWith("*")) ? "some" : "deep" }];
    }
    const inside = [...part.matchAll(/\*+|[^*]/gs)].map(([text]): Item => {
      if (text.startsWith("*")) return { kind: "any" };
      return text === "?" ? { kind: "one" } : { kind: "char", char: text };
    });
    // A part is never empty.
    const least: Item[] = /^\*+$/.test(part) ? [{ kind: "one" }] : [];
    return [{ kind: "char", char: "/" }, ...least, ...inside];
  });
}

/** A state is three times an item's index, and within `deep` and `some` the characters of a part that were read: none, the separator, more. */
type States = readonly number[];

function closed(items: readonly Item[], states: Iterable<number>): States {
  const all = new Set<number>();
  const add = (state: number): void => {
    if (all.has(state)) return;
    all.add(state);
    const kind = items[Math.floor(state / 3)]?.kind;
    const next = 3 * (Math.floor(state / 3) + 1);
    const inside = state % 3;
    if ((kind === "any" || kind === "deep") && inside === 0) add(next);
    if ((kind === "deep" || kind === "some") && inside === 2) add(next);
  };
  for (const state of states) add(state);
  return [...all].sort((a, b) => a - b);
}

function step(items: readonly Item[], states: States, char: string): States {
  const next = new Set<number>();
  for (const state of states) {
    const item = items[Math.floor(state / 3)];
    const inside = state % 3;
    const after = state - inside + 3;
    switch (item?.kind) {
      case "char":
        if (item.char === char) next.add(after);
        break;
      case "one":
        if (char !== "/") next.add(after);
        break;
      case "any":
        if (char !== "/") next.add(state);
        break;
      case "deep":
      case "some":
        if (char === "/" && inside !== 1) next.add(state - inside + 1);
        if (char !== "/" && inside !== 0) next.add(state - inside + 2);
    }
  }
  return closed(items, next);
}

const charsOf = (items: readonly Item[]): Set<string> =>
  new Set(items.flatMap((item) => (item.kind === "char" ? [item.char] : [])));

/** No character that a pattern names. */
const OTHER = "";

/** True only if every path that `narrow` matches is one that `wide` matches; both are relative to the same folder. */
export function includes(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  const [outer, named] = [itemsOf(wide), itemsOf(narrow)];
  if (!outer || !named) return false;
  const known = charsOf(outer).add("/");
  // To the wide pattern, all that it does not name are one.
  const inner = named.map((item) => (item.kind === "char" && !known.has(item.char) ? { ...item, char: OTHER } : item));
  const chars = charsOf(inner).add("/").add(OTHER);
  let work = 0;
  const open: [States, States][] = [[closed(inner, [0]), closed(outer, [0])]];
  const seen = new Set<string>();
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [here, there] = pair;
    if (here.includes(3 * inner.length) && !there.includes(3 * outer.length)) return false;
    for (const char of chars) {
      const next: [States, States] = [step(inner, here, char), step(outer, there, char)];
      const key = `${next[0].join()} ${next[1].join()}`;
      work += here.length + there.length;
      if (work > MAX_WORK) return false;
      if (next[0].length === 0 || seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return true;
}
