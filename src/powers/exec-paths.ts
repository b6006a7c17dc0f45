import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { slashed } from "../disk/paths.ts";
import { rootOf } from "./exec-folder.ts";
import type { ExecEntry, ExecGrant } from "./exec-grant.ts";
import { fileInOption, readsFiles, showsTree, showsWhole } from "./exec-shown-files.ts";
import { permits, realFolder } from "./fs-grant.ts";
import { absolute, faultOfPath, isSpecial, linksOn, realTarget, type Steps, targetBelow } from "./fs-path.ts";
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
    const inOption = fileInOption(entry, wanted);
    if (inOption !== undefined) return [{ arg: inOption, means: "itself" } as const];
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
  readonly #mayPlace: (real: string) => boolean;

  /** `mayPlace`: whether its hook may put a link at a real path. */
  constructor(mayPlace: (real: string) => boolean = () => false) {
    this.#mayPlace = mayPlace;
  }

  /** A path leads elsewhere by a link that the hook may have made. */
  isMisled(path: string): boolean {
    return this.target(path) !== path && linksOn(path).some(this.#mayPlace);
  }

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

/** What programs show. */
interface Shown {
  /** They show all that is in the file, whenever the hook likes. */
  surely(real: string): boolean;
  /** What comes there may be shown: their arguments may name it. */
  perhaps(real: string): boolean;
  /** It lies in a work tree that git shows, and is not called as a secret is. */
  byGit(real: string): boolean;
  /** What comes there may be shown by git, however it is called. */
  perhapsByGit(real: string): boolean;
}

export function shownBy(grant: ExecGrant, session: Session): Shown {
  const [whole, some] = [new Files(), new Files()];
  const trees: string[] = [];
  for (const entry of grant) {
    const folder = slashed(rootOf(entry, session));
    if (showsTree(entry)) trees.push(slashed(treeOf(folder)));
    if (!takesPaths(entry) && !readsFiles(entry)) continue;
    some.add(entry, folder);
    if (showsWhole(entry)) whole.add(entry, folder);
  }
  return {
    surely: (real) => whole.has(slashed(real)),
    perhaps: (real) => some.has(slashed(real)),
    byGit: (real) => trees.some(($CWD) => permits(["$CWD/**"], "read", slashed(real), { $CWD })),
    perhapsByGit: (real) => trees.some((tree) => slashed(real).startsWith(`${tree}/`)),
  };
}

/** Files that arguments of entries may name. */
class Files {
  readonly #named = new Set<string>();
  readonly #folders: string[] = [];

  /** `folder`: in which the entry's program runs. */
  add(entry: ExecEntry, folder: string): void {
    for (const arg of entry.args) {
      const inOption = fileInOption(entry, arg);
      for (const text of inOption === undefined ? (textsOf(arg) ?? []) : [inOption])
        this.#named.add(slashed(absolute(text, folder)));
    }
    if (entry.args.some((arg) => !textsOf(arg))) this.#folders.push(folder);
  }

  has(path: string): boolean {
    return this.#named.has(path) || this.#folders.some(($CWD) => permits(["$CWD/**"], "read", path, { $CWD }));
  }
}

/** The folder of the repository that a folder is in; itself if it is in none. */
function treeOf(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, ".git"))) return here;
    if (dirname(here) === here) return folder;
  }
}

/** `means`: a `file` is one that an argument names which stands for something else, such as a `ref`: no folder is meant. */
function staysIn(folder: string, arg: string, means: "itself" | "path" | "file", looked: Looked): boolean {
  const isItself = means === "itself";
  if (faultOfPath(arg) !== undefined) return false;
  const path = slashed(absolute(arg, folder));
  const isInside = path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  if (isItself && looked.isMisled(absolute(arg, folder))) return false;
  // What the grant names outside of the folder is a person's own word.
  if (isItself && !isInside) return true;
  const real = looked.target(absolute(arg, folder));
  if (real === undefined || isSpecial(real)) return false;
  if (means === "file" && statSync(real, { throwIfNoEntry: false })?.isDirectory()) return false;
  if (isItself && slashed(real) === path) return true;
  return [path, slashed(real)].every((one) => permits(["$CWD/**"], "read", one, { $CWD: folder }));
}
