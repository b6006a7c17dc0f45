import picomatch from "picomatch";

/** Most stars of a pattern that is matched by a regular expression: with many, one goes back and forth for a minute. */
const MAX_TRIED = 2;

const matchers = new Map<string, (path: string) => boolean>();

/** Whether a path is one that a pattern means: both below the same folder. */
export function matcher(rest: string): (path: string) => boolean {
  let known = matchers.get(rest);
  if (!known) {
    const isSimple = (rest.match(/\*+/g)?.length ?? 0) <= MAX_TRIED && !rest.includes("\\");
    known = isSimple ? byExpression(rest) : byParts(rest);
    matchers.set(rest, known);
  }
  return known;
}

export function byExpression(pattern: string): (path: string) => boolean {
  // Parentheses and their like are parts of names here, and no expressions.
  return picomatch(pattern.replace(/[(){}|+@!^$\\"]/g, "\\$&"), {
    dot: true,
    nobrace: true,
    noextglob: true,
    nonegate: true,
    strictSlashes: false,
    // A name may hold a newline.
    flags: "s",
  });
}

/** The same in time that grows with the length of both alone. A part of a pattern has two stars at the most. */
export function byParts(pattern: string): (path: string) => boolean {
  const parts = pattern.split("/").filter((part, at, all) => part !== "**" || all[at - 1] !== "**");
  const isOnlyDeep = pattern !== "**" && parts.length === 1 && parts[0] === "**";
  // The last `**` means what is before it, too, unless that ends in a star.
  const needsOne = isOnlyDeep || (parts.at(-1) === "**" && parts.at(-2)?.endsWith("*") === true);
  const all = (needsOne ? [...parts.slice(0, -1), "*", "**"] : parts).map((part) =>
    part === "**" ? ANY : meaningName(part),
  );
  return (path) => {
    const names = path.split("/");
    return !names.includes("") && isMeant(all, names);
  };
}

/** Stands for any number of parts of a path, or of characters of a part. */
const ANY = Symbol("any");

type Meaning = typeof ANY | ((entry: string) => boolean);

function meaningName(part: string): (name: string) => boolean {
  // picomatch comes to no end with some backslashes: beside brackets, which it alone reads, such a part means nothing.
  if (/[[\]]/.test(part)) return part.includes("\\") ? () => false : byExpression(part);
  const items = part
    .replace(/\*+/g, "*")
    .split("")
    .map((char): Meaning => (char === "*" ? ANY : char === "?" ? () => true : (one) => one === char));
  return (name) => isMeant(items, name.split(""));
}

/**
 * Whether the items of a pattern mean a list. To go back to the last {@link ANY} is enough: what an earlier one could take more,
 * that one can take as well.
 */
function isMeant(items: readonly Meaning[], list: readonly string[]): boolean {
  let at = 0;
  let any = -1;
  let taken = 0;
  for (let next = 0; next < list.length; ) {
    const item = items[at];
    if (item === ANY) {
      any = at++;
      taken = next;
    } else if (item?.(list[next] as string)) {
      at++;
      next++;
    } else if (any >= 0) {
      at = any + 1;
      next = ++taken;
    } else return false;
  }
  return items.slice(at).every((item) => item === ANY);
}
