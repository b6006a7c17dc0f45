import { realpathSync } from "node:fs";
import type { Static } from "typebox";
import Type from "../base/type.ts";
import { slashed } from "../disk/paths.ts";
import { type Algebra, list, record } from "./algebra.ts";
import { extensionFolder, isInFolder } from "./fs-extension-folder.ts";
import { includes } from "./fs-globs.ts";
import { matcher } from "./fs-match.ts";
import { type FsRight, isAboveRefused, isRefused } from "./fs-refused-names.ts";
import { firstFault, type Power } from "./power.ts";

/** Most patterns of one right. */
export const MAX_PATTERNS = 200;

const patterns = (what: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
    maxItems: MAX_PATTERNS,
    description: `Files it may ${what}: paths and globs that start with $CWD, $HOME, $TMP or /.`,
  });

const fsGrant = Type.Object(
  {
    read: Type.Optional(patterns("read")),
    write: Type.Optional(patterns("write, create and delete")),
    watch: Type.Optional(patterns("watch for changes")),
  },
  { additionalProperties: false, description: "Files that it may read, write and watch." },
);
export type FsGrant = Static<typeof fsGrant>;

/** What {@link faultOfPattern} accepts, as JSON Schema: where it starts, no `.` and `..`, and how many wildcards. */
export const publishedPattern = {
  pattern: [
    "^(?!(.*/)?\\.\\.?(/|$))",
    "(?!(.*\\*\\*){3})",
    "(?!([^*]*\\*+(?!\\*)){9})",
    "(?!(.*/)?([^/*]*\\*){3})",
    "((\\$CWD|\\$HOME|\\$TMP)(/|$)|/|[A-Za-z]:/)",
  ].join(""),
};

export const fsPower: Power<typeof fsGrant> = {
  schema: fsGrant,
  fault: (grant) => firstFault(Object.values(grant).flat(), faultOfPattern),
  published: {
    properties: Object.fromEntries(["read", "write", "watch"].map((right) => [right, { items: publishedPattern }])),
  },
  ...record<FsGrant>({ read: filesOf("read"), write: filesOf("write"), watch: filesOf("watch") }),
};

function filesOf(right: FsRight): Algebra<string[]> {
  return list({ covers: (wide, narrow) => coversPattern(wide, narrow, right) });
}

/**
 * True only if `wide` means every file that `narrow` means, in any session: of the folders that patterns start with
 * nothing is known here but that they lie below `/`, and that no part of their names is a well-known path of secrets.
 */
export function coversPattern(wide: string, narrow: string, right: FsRight): boolean {
  if (wide === narrow) return true;
  const [outer, inner] = [partsOf(wide), partsOf(narrow)];
  // A path is the same only as itself.
  if (!GLOB.test(outer.rest)) return false;
  if (!GLOB.test(inner.rest) && isRefused(inner.rest, right)) return false;
  if (right === "write" && TEMPORARY_OF_ONE.test(inner.rest) && isRefused(inner.rest, right)) return false;
  const own = GLOB.test(inner.rest) ? extensionFolder(inner.rest)?.folder : undefined;
  if (own !== undefined && extensionFolder(outer.rest)?.folder !== own) return false;
  if (outer.root === inner.root) {
    if (inner.rest === "") return outer.rest === "**";
    return GLOB.test(inner.rest) ? includes(outer.rest, inner.rest) : matcher(outer.rest)(inner.rest);
  }
  return outer.root === "/" && inner.root.startsWith("$") && includes(outer.rest, joined("**", inner.rest));
}

/**
 * Whether a file that a pattern names lies in the extension's own folder that another one names, and is meant by that. No answer for
 * a policy: what lies there may decide about hooks, and only its exact name grants it then.
 */
export function isInNamedFolder(wide: string, narrow: string, right: FsRight): boolean {
  const [outer, inner] = [partsOf(wide), partsOf(narrow)];
  return (
    outer.root === inner.root &&
    !GLOB.test(inner.rest) &&
    isInExtensionFolder(inner.rest, outer.rest, right) &&
    includes(outer.rest, inner.rest)
  );
}

const joined = (...parts: string[]): string => parts.filter(Boolean).join("/");

/**
 * Whether a grant gives a right over a real path. `link`: to write it, and to put a link there. `show`: to read it, also as a database, or to
 * run a program that surely shows all of it. `expose`: whether what comes there is perhaps shown by any of these. `showByGit` and
 * `exposeByGit`: the same of a work tree that git shows.
 */
export type May = (right: FsRight | "link" | Showing, real: string) => boolean;
export type Showing = "show" | "expose" | "showByGit" | "exposeByGit";

/** Whether a file would be shown at another place, perhaps, and is not for sure where it is. */
export const showsMore = (may: May, here: string, there: string): boolean =>
  (may("expose", there) || (may("exposeByGit", there) && !may("showByGit", here))) && !may("show", here);

/** Characters that make a pattern more than the name of one file. */
const GLOB = /[*?[\]]/;
const ROOT = /^(\$CWD|\$HOME|\$TMP)(?=\/|$)/;

/** What is wrong with a pattern, if anything. */
export function faultOfPattern(pattern: string): string | undefined {
  if (!ROOT.test(pattern) && !pattern.startsWith("/") && !/^[A-Za-z]:\//.test(pattern))
    return `${pattern}: a file pattern starts with $CWD, $HOME, $TMP or /`;
  if (pattern.split("/").some((part) => part === ".." || part === "."))
    return `${pattern}: no . or .. in a file pattern`;
  if (pattern.split("**").length > 3) return `${pattern}: ** at most twice in a file pattern`;
  if ((pattern.match(/\*+/g)?.length ?? 0) > 8 || pattern.split("/").some((part) => part.split("*").length > 3))
    return `${pattern}: too many wildcards in a file pattern`;
  return undefined;
}

/** As far as it is there. */
export function realFolder(folder: string): string {
  try {
    return slashed(realpathSync(folder));
  } catch {
    return slashed(folder);
  }
}

/** On these file systems two spellings are one file. */
const FOLDED = process.platform === "darwin" || process.platform === "win32";
const folded = (text: string): string => (FOLDED ? text.normalize("NFC").toLowerCase() : text);

/**
 * True if a real path is one that the patterns mean. Names that lead to secrets or to code must be named exactly, but for what
 * is in an extension's own folder that a pattern names, and for {@link TEMPORARY_OF_ONE}.
 *
 * @param exactly so must this one; `always`: wherever it lies
 */
export function permits(
  granted: readonly string[],
  right: FsRight,
  path: string,
  roots: Readonly<Record<string, string>>,
  exactly: boolean | "always" = false,
): boolean {
  let exact: boolean | undefined;
  // Few patterns mean the path, and it is looked at for those alone.
  const isExact = (): boolean => {
    exact ??= exactly !== false || isRefused(path, right);
    return exact;
  };
  const shown = folded(path);
  return granted.some((pattern) => {
    const { root, rest } = split(pattern, roots);
    const whole = folded(root);
    if (rest === "") return shown === whole;
    const below = whole.endsWith("/") ? whole : `${whole}/`;
    const name = shown.slice(below.length);
    // `$CWD/**` means the folder itself, too.
    const isMeant = shown === whole ? rest === "**" : shown.startsWith(below) && matcher(folded(rest))(name);
    if (!isMeant || !isExact()) return isMeant;
    if (right === "write" && exactly !== "always" && TEMPORARY_OF_ONE.test(rest)) return true;
    return exactly !== "always" && isInExtensionFolder(name, folded(rest), right);
  });
}

/**
 * Names one file but for what makes its name temporary until it is renamed: `.pi/agent/x.json.*.tmp`. Nothing loads such a file. A
 * folder of that name would be another matter: nothing in it may be written, and it is no link, see {@link isOrdinary}.
 */
const TEMPORARY_OF_ONE = /^(?:[^*?[\]]+\/)?[^*?[\]/]*[^*?[\]/.~_-]{2,}[.~_-]\*\.te?mp$/i;

/** What a pattern starts with, and what follows. */
function partsOf(pattern: string): { root: string; rest: string } {
  const root = (ROOT.exec(pattern) ?? /^[A-Za-z]:(?=\/)/.exec(pattern))?.[0];
  return { root: root ?? "/", rest: pattern.slice((root?.length ?? 0) + 1) };
}

/** The folder that a pattern is below, as it is now, and what is to be matched there. */
function split(pattern: string, roots: Readonly<Record<string, string>>): { root: string; rest: string } {
  const { root: named, rest } = partsOf(pattern);
  const root = named.startsWith("$") ? (roots[named] as string) : named;
  if (GLOB.test(rest)) return { root, rest };
  return { root: root === "/" ? `/${rest}` : rest === "" ? root : `${root}/${rest}`, rest: "" };
}

/** The pattern names a folder of an extension's own, and the path below it leads to no secret and no other code. */
function isInExtensionFolder(path: string, rest: string, right: FsRight): boolean {
  const named = extensionFolder(rest);
  if (!named || !isInFolder(path, named.folder) || isRefused(named.before, right)) return false;
  return !isRefused(path.slice(named.folder.length), right);
}

/** Whether a pattern with a wildcard means no file at all: one of its folders leads to secrets or to code. */
export function meansNothing(pattern: string, right: FsRight): boolean {
  const { rest } = partsOf(pattern);
  const fixed = rest.slice(0, rest.search(GLOB) + 1).replace(/[^/]*$/, "");
  if (!GLOB.test(rest) || extensionFolder(rest) || (right === "write" && TEMPORARY_OF_ONE.test(rest))) return false;
  return isRefused(fixed, right);
}

/**
 * Whether a link may be put at a path, by its names: it leads to no secret and to no code, nor does a name below it; or it is in an
 * extension's own folder.
 */
export function isOrdinary(path: string): boolean {
  if (isAboveRefused(path)) return false;
  if (!isRefused(path, "write")) return true;
  const own = extensionFolder(path);
  return own !== undefined && !isRefused(own.before, "write") && !isRefused(path.slice(own.folder.length), "write");
}
