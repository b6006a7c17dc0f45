import { basename, isAbsolute } from "node:path";
import { nearNames } from "../base/near-names.ts";
import { looksLikeOwn } from "../store/own-name.ts";
import { Refused } from "./common.ts";

/** A hook that a person can name. `key`: its name in the user's lock and grants. */
export interface Named {
  id: string;
  key: string;
  /** The configured path, or the id if the file is gone. */
  path: string;
  /** Its file. */
  realPath?: string;
  /** It comes from a project's lock: a repository chose its id. */
  ofProject?: boolean;
  /** It belongs to another project: here only its key names it. */
  elsewhere?: boolean;
  /** The audit log alone knows it. */
  recorded?: true;
  /** The audit log knows it from trials alone. */
  onlyTried?: boolean;
}

/** What lines of Cordon's own, which are no hook's, are called. */
export const OWN = "cordon";

/** Whether a person means Cordon itself. No hook has such a short name. */
export const isOwn = (name: string): boolean => name.toLowerCase() === OWN;

const MOST_LISTED = 20;

/** The shortest name that means this hook and no other here. */
export function shortName(hook: Named, here: readonly Named[]): string {
  const others = here.filter(({ key }) => key !== hook.key);
  const isFree = (name: string): boolean =>
    others.every((other) => !namesOf(other).includes(name) && !wholeNames(other).includes(name));
  return namesOf(hook).find(isFree) ?? (isFree(hook.id) ? hook.id : hook.key);
}

/**
 * Finds the hook that a person names: by its full name, its `file` or a short name as of {@link shortName}. Throws if no
 * hook has that name, and lists similar names; throws if several have it, and lists them.
 */
export function hookNamed<T extends Named>(name: string, here: readonly T[], file = ""): T {
  const whole = here.filter((hook) => isWhole(name, hook, file));
  const short = here.filter((hook) => namesOf(hook).includes(name));
  // A repository chose the id, and the person may not know that it exists: a short name may mean another hook.
  const isSure = whole.length > 0 && !whole.some(({ ofProject }) => ofProject);
  const [only, ...more] = isSure ? whole : new Set([...whole, ...short]);
  if (only === undefined) throw unknown(name, here);
  if (more.length === 0) return only;
  const list = [only, ...more].map((hook) => shortName(hook, here));
  throw new Refused(`${name} names ${list.length} hooks here; say which: ${list.slice(0, MOST_LISTED).join(", ")}`);
}

/** The ids on record that a name fits, too. */
export const alsoCalled = (name: string, recorded: readonly Named[]): string[] =>
  recorded.filter((hook) => !hook.onlyTried && namesOf(hook).includes(name)).map(({ id }) => id);

/** The hook that other commands print by this name, whatever else the audit log knows. */
export const printedAs = <T extends Named>(name: string, here: readonly T[]): T | undefined =>
  here.find((hook) => shortName(hook, here) === name);

/**
 * The ids in the audit log that a person means by a name: as of {@link hookNamed}, among the hooks here and those that only the log
 * knows. A hook that was only tried counts where no other has the name. If a hook is gone whose id is a short name of one here, the
 * name means both: the one that is gone has no other name.
 *
 * @param recorded hooks that are not here
 */
export function idsNamed(name: string, here: readonly Named[], recorded: readonly Named[], file = ""): string[] {
  const isCalled = (hook: Named): boolean => isWhole(name, hook, file) || namesOf(hook).includes(name);
  const worked = recorded.filter(({ onlyTried }) => !onlyTried);
  const gone = worked.filter(({ id }) => id === name);
  const called = here.filter(isCalled);
  if (gone.length > 0 && called.length > 0) return [...gone, ...called].map(({ id }) => id);
  const printed = printedAs(name, here);
  if (printed) return [printed.id];
  const others = called.length > 0 || worked.some(isCalled) ? worked : recorded;
  return [hookNamed(name, [...others, ...here], file).id];
}

/** No hook has this name. `near`: similar names. */
export class UnknownHook extends Refused {
  readonly near: readonly string[];

  constructor(message: string, near: readonly string[]) {
    super(message);
    this.near = near;
  }
}

function unknown(name: string, here: readonly Named[]): UnknownHook {
  const called = new Map(
    here.flatMap((hook) => [...namesOf(hook), hook.id].map((one) => [one, shortName(hook, here)])),
  );
  const near = [...new Set(nearNames(name, called.keys()).map((one) => called.get(one) ?? one))];
  const problem = `no hook here is called ${name}`;
  if (near.length > 0) return new UnknownHook(`${problem}; did you mean ${near.join(" or ")}?`, near);
  const listOf = (some: readonly Named[]): string => {
    const names = [...new Set(some.map((hook) => shortName(hook, here)))].sort();
    const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more: cordon list` : "";
    return `${names.slice(0, MOST_LISTED).join(", ") || "none"}${more}`;
  };
  const recorded = here.filter((hook) => hook.recorded);
  const only = recorded.length > 0 ? `; only on record: ${listOf(recorded)}` : "";
  return new UnknownHook(`${problem}; there are: ${listOf(here.filter((hook) => !hook.recorded))}${only}`, []);
}

const isWhole = (name: string, hook: Named, file: string): boolean =>
  wholeNames(hook).includes(name) || hook.key === file || hook.realPath === file;

const wholeNames = ({ id, key, path }: Named): string[] => [id, key, path];

/** Names of a hook, the shortest first: a file with and without its ending, with more and more of its path. */
function namesOf({ id, elsewhere }: Named): string[] {
  if (elsewhere) return [];
  const [name = "", file] = isAbsolute(id) ? ["", id] : id.split(/#(.*)/s);
  const ends = file === undefined ? [] : endsOf(file);
  const bare = name.replace(/^@[^/]+\//, "");
  const packages = file === undefined ? [bare, name] : name === "" ? [] : [`${bare}#${file}`, id];
  return [...new Set([...ends, ...packages])].filter((one) => PLAIN.test(one) && !looksLikeOwn(one));
}

/** A file may have any name. Only a plain word cannot be read as a sentence of Cordon's own, nor as an option. */
const PLAIN = /^[\w@.+#/][\w@.+#/-]*$/;

function endsOf(file: string): string[] {
  const parts = file.split(/[/\\]/).filter(Boolean);
  const ends = parts.map((_, at) => parts.slice(parts.length - 1 - at).join("/"));
  const bare = basename(file).replace(/\.[cm]?[jt]sx?$/, "");
  const [own = "", ...longer] = ends;
  // What is in each folder says nothing: the folder does.
  if (bare === "index" && parts.length > 1) return [parts.at(-2) as string, ...longer, file, bare, own];
  return [bare, ...ends, file];
}
