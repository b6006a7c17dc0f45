import { basename, dirname } from "node:path";
import { slashed } from "../disk/paths.ts";
import { type ExecEntry, readsFiles } from "./exec-grant.ts";
import { permits, realFolder } from "./fs-grant.ts";
import { absolute, faultOfPath, isSpecial, realTarget, targetBelow } from "./fs-path.ts";

/** Parts of all paths of one command: each costs the host a look. */
const MAX_PARTS = 4000;

/**
 * True if the files that a command's arguments name are ones that a power to read its folder would cover: links are
 * followed, and secrets are excluded. So are files that only some kinds of arguments name, such as a `ref` of `git diff`. A
 * grant that names a file itself means that one, and no link that replaces it.
 */
export function staysInFolder(
  entry: ExecEntry,
  args: readonly string[],
  runsIn: string,
  looked: Looked = new Map(),
): boolean {
  const named = args.flatMap((arg, index) => {
    const wanted = entry.args[index] ?? entry.args.at(-1);
    const isItself =
      typeof wanted === "string" || (typeof wanted === "object" && "kind" in wanted && wanted.kind === "enum");
    return isPath(wanted) || (readsFiles(entry) && !arg.startsWith("-")) ? [{ arg, isItself }] : [];
  });
  if (named.length === 0) return true;
  if (named.reduce((sum, { arg }) => sum + arg.split("/").length, 0) > MAX_PARTS) return false;
  const folder = realFolder(runsIn);
  return named.every(({ arg, isItself }) => staysIn(folder, arg, isItself, looked));
}

/** Where paths lead, as far as that was looked up already, for all paths of one command and all entries that it is compared with. */
export type Looked = Map<string, string | undefined>;

function targetIn(looked: Looked, path: string): string | undefined {
  const known = (one: string, find: () => string | undefined): string | undefined => {
    if (!looked.has(one)) looked.set(one, find());
    return looked.get(one);
  };
  const above = dirname(path);
  return known(path, () => {
    const folder = known(above, () => realTarget(above, true));
    return folder === undefined || above === path ? folder : targetBelow(folder, basename(path));
  });
}

/** True if some of its arguments are paths. */
export const takesPaths = ({ args }: ExecEntry): boolean => args.some(isPath);

const isPath = (wanted: ExecEntry["args"][number] | undefined): boolean =>
  typeof wanted === "object" && ("rest" in wanted ? wanted.rest : wanted.kind) === "relpath";

function staysIn(folder: string, arg: string, isItself: boolean, looked: Looked): boolean {
  if (faultOfPath(arg) !== undefined) return false;
  const path = slashed(absolute(arg, folder));
  const isInside = path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
  // What the grant names outside of the folder is a person's own word.
  if (isItself && !isInside) return true;
  const real = targetIn(looked, absolute(arg, folder));
  if (real === undefined || isSpecial(real)) return false;
  if (isItself && slashed(real) === path) return true;
  return [path, slashed(real)].every((one) => permits(["$CWD/**"], "read", one, { $CWD: folder }));
}
