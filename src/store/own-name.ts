import { CordonError } from "../base/errors.ts";

/** Letters and pairs of letters that look alike, among those that the name of a package may have. */
const LIKE: readonly [RegExp, string][] = [
  [/0/g, "o"],
  [/rn/g, "m"],
  [/cl|c1|ci/g, "d"],
  [/vv/g, "w"],
  [/[._~-]/g, ""],
];

const OWN = "cordon";

/**
 * Throws for a package that people would take for Cordon itself: its name is shown before what its hooks ask and say. The
 * scope does not help them, since anybody can choose one.
 */
export function refuseOwnName(name: string): void {
  if (looksLikeOwn(name))
    throw new CordonError("BAD_MANIFEST", `${name}: no package may have the name ${OWN}, or one that looks like it`);
}

/** @param id a package's name, or a hook's id */
export function looksLikeOwn(id: string): boolean {
  const [name = ""] = id.toLowerCase().split("#");
  const bare = name.replace(/^@[^/]*\//, "").replace(/[._-](js|ts|node)$/, "");
  return skeleton(bare) === OWN || skeleton(name.replace(/[@/]/g, "")) === OWN;
}

const skeleton = (name: string): string => LIKE.reduce((text, [pattern, like]) => text.replace(pattern, like), name);
