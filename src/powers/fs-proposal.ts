import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { slashed } from "../disk/paths.ts";
import type { Wanted } from "./capability.ts";
import { isGranted } from "./fs-check.ts";
import { extensionFolder } from "./fs-extension-folder.ts";
import { faultOfPattern, permits } from "./fs-grant.ts";
import { absolute, faultOfPath, isSpecial, MAX_PARTS } from "./fs-path.ts";
import { type FsRight, isRefused } from "./fs-refused-names.ts";
import { rootsIn, throughRoots } from "./fs-roots.ts";
import type { Session } from "./lent-session.ts";

/**
 * The pattern that a person is asked to grant: the one path, and what it is called another time if a wildcard may mean it.
 */
export function patternFor(asked: string, right: FsRight, session: Session): string | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const roots = rootsIn(session);
  const path = slashed(throughRoots(absolute(asked, session.cwd), session));
  if (isSpecial(path) || /[*?[\]{}()!]/.test(path) || path.split("/").length > MAX_PARTS) return undefined;
  const [name, folder] = Object.entries(roots).find(([, one]) => path === one || path.startsWith(`${one}/`)) ?? [
    "",
    "",
  ];
  const rest = path.slice(folder.length);
  const general = name + timeless(rest);
  const isGeneral = faultOfPattern(general) === undefined && isGranted([general], right, path, session);
  return isGeneral ? general : name + rest;
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

/** A time in a name is another one the next time; pi names the sessions of a project by the project's path. */
const timeless = (path: string): string =>
  path
    .replace(/(?<=\/\.pi\/agent\/sessions\/)--[^/]+--(?=\/|$)/, "--*--")
    .replace(/(?<=\/\.pi\/agent\/sessions\/--\*--\/)[^/]+(?=\.jsonl$)/, "*")
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, "*")
    .replace(/\d{4}-\d\d-\d\d[T_ -]\d\d(?:[-:.]?\d\d){1,2}(?:[-:.]?\d{1,6})?Z?/g, "*")
    .replace(/\d{10,}|\d{4}-\d\d(-\d\d)?(?!\d)/g, "*")
    // What is renamed to its real name later has the number of the process in its name, or what chance gave it.
    .replace(/(?:[^/]*\.te?mp[^/]*|(?<=\/)te?mp[.~_-][^/]*)$/i, (name) =>
      name.replace(/(?<=[.~_-])(?=[a-z]*\d)[a-z0-9]{2,}(?=$|[.~_-])/gi, "*"),
    )
    // A name has two at the most.
    .replace(/\*(?:[.~_-]\*){2,}/g, "*");

/** What `mkdtemp` adds to a name. */
export const ANY_SUFFIX = "??????";

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
    patterns.push(patternFor(folder, "write", session) ?? slashed(folder));
  return patterns.reverse();
}
