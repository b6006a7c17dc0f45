import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { slashed } from "../disk/paths.ts";
import { rootOf } from "./exec-folder.ts";
import { type ExecEntry, type ExecGrant, readsFiles } from "./exec-grant.ts";
import { permits, realFolder } from "./fs-grant.ts";
import { absolute, faultOfPath, isSpecial, realTarget, type Steps, targetBelow } from "./fs-path.ts";
import type { Session } from "./lent-session.ts";

type Argument = ExecEntry["args"][number];

/** Parts of all paths of one command: each costs the host a look. */
const MAX_PARTS = 4000;
/** Parts of those paths, and of those that their links lead to, where one has a link or is not there: each costs more. */
const MAX_STEPS = 2000;

/**
 * True if the files that a command's arguments name are ones that a power to read its folder would cover: links are
 * followed, and secrets are excluded. So are files that only some kinds of arguments name, such as a `ref` of `git diff`. A
 * grant that names a file itself means that one, and no link that replaces it.
 */
export function staysInFolder(
  entry: ExecEntry,
  args: readonly string[],
  runsIn: string,
  looked = new Looked(),
): boolean {
  const named = args.flatMap((arg, index) => {
    const wanted = entry.args[index] ?? entry.args.at(-1);
    const means = textsOf(wanted) ? "itself" : isPath(wanted) ? "path" : "file";
    return isPath(wanted) || (readsFiles(entry) && !arg.startsWith("-")) ? [{ arg, means } as const] : [];
  });
  if (named.length === 0) return true;
  if (named.reduce((sum, { arg }) => sum + arg.split("/").length, 0) > MAX_PARTS) return false;
  const folder = realFolder(runsIn);
  return named.every(({ arg, means }) => staysIn(folder, arg, means, looked));
}

/** Where paths lead, as far as that was looked up already, for all paths of one command and all entries that it is compared with. */
export class Looked {
  readonly #known = new Map<string, string | undefined>();
  readonly #steps: Steps = { left: MAX_STEPS };

  /** Where a path leads. */
  target(path: string): string | undefined {
    const above = dirname(path);
    return this.#once(path, () => {
      const folder = this.#once(above, () => realTarget(above, true, this.#steps));
      return folder === undefined || above === path ? folder : targetBelow(folder, basename(path), this.#steps);
    });
  }

  #once(path: string, find: () => string | undefined): string | undefined {
    if (!this.#known.has(path)) this.#known.set(path, find());
    return this.#known.get(path);
  }
}

/** True if some of its arguments are paths. */
export const takesPaths = ({ args }: ExecEntry): boolean => args.some(isPath);

const isPath = (wanted: Argument | undefined): boolean =>
  typeof wanted === "object" && ("rest" in wanted ? wanted.rest : wanted.kind) === "relpath";

/** The texts of which the argument is one, if the entry says that. */
const textsOf = (wanted: Argument | undefined): readonly string[] | undefined => {
  if (typeof wanted === "string") return [wanted];
  return wanted && "kind" in wanted && wanted.kind === "enum" ? wanted.values : undefined;
};

/**
 * Says whether a program of these entries shows what is at a real path, or takes it where one does: the file is among those that
 * its arguments may name.
 */
export function shownBy(grant: ExecGrant, session: Session): (real: string) => boolean {
  const named = new Set<string>();
  const folders: string[] = [];
  for (const entry of grant) {
    if (!takesPaths(entry) && !readsFiles(entry)) continue;
    const folder = slashed(rootOf(entry, session));
    for (const arg of entry.args) for (const text of textsOf(arg) ?? []) named.add(slashed(absolute(text, folder)));
    if (entry.args.some((arg) => !textsOf(arg))) folders.push(folder);
  }
  return (real) => {
    const path = slashed(real);
    return named.has(path) || folders.some((folder) => permits(["$CWD/**"], "read", path, { $CWD: folder }));
  };
}

/** `means`: a `file` is one that an argument names which stands for something else, such as a `ref`: no folder is meant. */
function staysIn(folder: string, arg: string, means: "itself" | "path" | "file", looked: Looked): boolean {
  const isItself = means === "itself";
  if (faultOfPath(arg) !== undefined) return false;
  const path = slashed(absolute(arg, folder));
  const isInside = path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  // What the grant names outside of the folder is a person's own word.
  if (isItself && !isInside) return true;
  const real = looked.target(absolute(arg, folder));
  if (real === undefined || isSpecial(real)) return false;
  if (means === "file" && statSync(real, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (isItself && slashed(real) === path) return true;
  return [path, slashed(real)].every((one) => permits(["$CWD/**"], "read", one, { $CWD: folder }));
}
