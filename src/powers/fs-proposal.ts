import { existsSync, opendirSync } from "node:fs";
import { dirname } from "node:path";
import { NOWHERE } from "../../sandbox/wire/messages.ts";
import { attemptOr } from "../base/attempt.ts";
import { slashed } from "../disk/paths.ts";
import type { Wanted } from "./capability.ts";
import { isGranted } from "./fs-check.ts";
import { extensionFolder } from "./fs-extension-folder.ts";
import { faultOfPattern, permits } from "./fs-grant.ts";
import { matcher } from "./fs-match.ts";
import { absolute, faultOfPath, isSpecial, MAX_PARTS } from "./fs-path.ts";
import { type FsRight, isRefused } from "./fs-refused-names.ts";
import { rootsIn, throughRoots } from "./fs-roots.ts";
import type { Session } from "./lent-session.ts";

/** The pattern that means one path alone; `undefined` if none can. */
export function exactPattern(asked: string, session: Session): string | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const path = slashed(throughRoots(absolute(asked, session.cwd), session));
  if (path.startsWith(`${NOWHERE}/`) || isSpecial(path) || /[*?[\]{}()!]/.test(path)) return undefined;
  if (path.split("/").length > MAX_PARTS) return undefined;
  const [name, folder] = Object.entries(rootsIn(session)).find(
    ([, one]) => path === one || path.startsWith(`${one}/`),
  ) ?? ["", ""];
  return name + path.slice(folder.length);
}

/**
 * The pattern that a person is asked to grant for a file: the one path, and what it is called another time if its last name says
 * that this is another one, and no other file there has such a name.
 */
export function patternFor(asked: string, right: FsRight, session: Session): string | undefined {
  const exact = exactPattern(asked, session);
  if (exact === undefined) return undefined;
  const at = exact.lastIndexOf("/") + 1;
  const general = changing(exact.slice(at));
  const path = throughRoots(absolute(asked, session.cwd), session);
  const isGeneral =
    general !== exact.slice(at) &&
    faultOfPattern(exact.slice(0, at) + general) === undefined &&
    isGranted([exact.slice(0, at) + general], right, path, session) &&
    !meansOthers(general, dirname(path));
  return isGeneral ? exact.slice(0, at) + general : exact;
}

/** The pattern of a hook's own manifest that covers a path: a person is not asked for more than the author did. */
export function askedFor(
  asked: string,
  right: FsRight,
  manifest: Wanted | undefined,
  session: Session,
): string | undefined {
  const patterns = [manifest?.capabilities, manifest?.optional].flatMap((powers) => powers?.fs?.[right] ?? []);
  if (patterns.length === 0) return undefined;
  const named = slashed(throughRoots(absolute(asked, session.cwd), session));
  return patterns.find((pattern) => permits([pattern], right, named, rootsIn(session)));
}

const ANY = "?";

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const TIME = /(?<!\d)\d{4}-\d\d-\d\d(?:[T_ -]\d\d(?:[-:.]?\d\d){1,2}(?:[-:.]?\d{1,6})?Z?)?(?!\d)/g;
/** Milliseconds, after words that say whose they are, or as a whole name of what nothing obeys. */
const MILLISECONDS = /(?<=^[^\d]*[a-z]{3}[^\d]*[.~_-])\d{13}(?!\d)|^\d{13}(?=\.(?:log|csv|tsv|jsonl|ndjson)$)/gi;
/** What is renamed to its real name later. */
const TEMPORARY = /(?:^|[.~_-])te?mp(?:[.~_-]|$)/i;
/** Begins with words that say whose it is, besides that it is temporary, or is a hidden temporary file. */
const OWNED = /^\.te?mp[.~_-]|^[^*]*(?<![a-z])(?!te?mp(?:[.~_-]|$))[a-z]{3}/i;
/** Such a name has the number of the process in it, or what chance gave it. */
const CHANCE = /(?<=^|[.~_-])(?=[a-z]*\d)[a-z0-9]{2,}(?=$|[.~_-])/gi;

/** No file system has a longer name. */
const LONGEST_NAME = 255;

/** A name as it is another time. A question mark is one character: so few other names are meant. */
function changing(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  if (TEMPORARY.test(name)) {
    const general = name
      .replace(UUID, "*")
      .replace(CHANCE, "*")
      .replace(/\*(?:[.~_-]\*)+/g, "*");
    return OWNED.test(general) ? general : name;
  }
  const shaped = (found: string): string => found.replace(/[\da-f]/gi, ANY);
  return name.replace(UUID, shaped).replace(TIME, shaped).replace(MILLISECONDS, shaped);
}

/** Most names of a folder that are looked at. */
const MOST_NAMES = 10_000;

/** Whether a folder has a file that a pattern of one name means, and that is not of its kind. */
function meansOthers(general: string, folder: string): boolean {
  const isMeant = matcher(general);
  const listed = attemptOr(() => opendirSync(folder), undefined);
  try {
    for (let count = 0, entry = listed?.readSync(); entry; entry = listed?.readSync())
      if (++count > MOST_NAMES || (isMeant(entry.name) && changing(entry.name) !== general)) return true;
    return false;
  } finally {
    listed?.closeSync();
  }
}

/** What `mkdtemp` adds to a name. */
export const ANY_SUFFIX = ANY.repeat(6);

/**
 * The patterns of a folder that `mkdtemp` is to make, and of what the hook puts into it. The last characters of the name stand for
 * any, since the next folder has others. Not if the name is nothing else, or if that would mean a folder which is there: then they
 * name this folder alone.
 */
export function madeFolder(pattern: string, asked: string, session: Session): string[] {
  const at = pattern.lastIndexOf("/") + 1;
  const name = pattern.slice(at);
  const path = throughRoots(absolute(asked, session.cwd), session);
  if (existsSync(path) || name.length < ANY_SUFFIX.length) return [pattern];
  const general = name.slice(0, -ANY_SUFFIX.length) + ANY_SUFFIX;
  // Programs leave folders in the one for what is temporary.
  const isOthers = !/^\$TMP\/[^/]+$/.test(pattern) && meansOthers(general, dirname(path));
  const named = general === ANY_SUFFIX || isOthers ? pattern : pattern.slice(0, at) + general;
  return [named, `${named}/**`];
}

/** Folders in which many programs keep what is theirs. */
const SHARED =
  /^\$(HOME|CWD)\/\.(pi(\/agent(\/(extensions|sessions))?)?|agents?|claude|config|cache|github|vscode|local(\/(share|state))?)$/;

/**
 * The pattern of a folder, and of what is in it if it can be the hook's own: not the project, the person's folder or one
 * directly in that, but one that a dot hides, or that lies deeper. Its files have other names another day. No wildcard covers
 * places of code.
 */
export function withContents(pattern: string, right: FsRight): string[] {
  if (isRefused(pattern, right) && !extensionFolder(`${pattern}/`)) return [pattern];
  const isOwn = /^\$CWD\/(.*\/)?\.|^\$HOME\/[^/]+\/[^/]|^\$TMP\/./.test(pattern);
  return isOwn && !SHARED.test(pattern) ? [pattern, `${pattern}/**`] : [pattern];
}

/** Patterns of the folders that would have to be made for one that is to be made. */
export function missingAbove(asked: string, session: Session): string[] {
  const patterns: string[] = [];
  for (let folder = dirname(absolute(asked, session.cwd)); !existsSync(folder); folder = dirname(folder))
    patterns.push(exactPattern(folder, session) ?? slashed(folder));
  return patterns.reverse();
}
