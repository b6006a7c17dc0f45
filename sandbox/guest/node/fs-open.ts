/** `open`: checks what the hook may do with a file, makes or empties it, and gives it a number. */
import { fault } from "./fault.ts";
import { type Opening, openingOf } from "./fs-flags.ts";
import { files } from "./fs-numbers.ts";
import type { Stats } from "./fs-objects.ts";
import { OpenFile } from "./fs-open-file.ts";
import { PLANS, pathOf, plan } from "./fs-plans.ts";
import type { Steps } from "./fs-steps.ts";

/** Most files that a hook has open at once. */
const MAX_OPEN = 1024;

/** Resolves with the number of the file. */
export function* open(name: unknown, flags: unknown, mode: unknown): Steps<number> {
  const path = pathOf(name);
  const opening = openingOf(flags);
  if (files.size >= MAX_OPEN) throw fault(Error, "EMFILE", `EMFILE: too many open files, open '${path}'`);
  if (opening.followsNoLink || opening.isFolder) yield* checkKind(path, opening);
  const bits = { mode: mode as number };
  let content: Uint8Array | undefined;
  if (opening.isNew || (opening.empties && opening.writes && opening.creates)) {
    yield PLANS.writeFile(path, "", { flag: opening.isNew ? "wx" : "w", ...bits });
    content = new Uint8Array(0);
  } else if (opening.writes && opening.creates) {
    // An addition of nothing leaves a file as it is, and makes one that is missing.
    yield PLANS.appendFile(path, "", bits);
  } else {
    if (opening.writes) yield plan("fs.writable", [path], "open", () => {});
    if (opening.reads) yield* mayRead(path);
    if (opening.empties && opening.writes) yield PLANS.writeFile(path, "");
  }
  for (let number = 3; ; number++) {
    if (files.has(number)) continue;
    files.set(number, new OpenFile(path, opening, content));
    return number;
  }
}

function* checkKind(path: string, { followsNoLink, isFolder }: Opening): Steps<void> {
  let facts: Stats;
  try {
    facts = (yield PLANS.lstat(path)) as Stats;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return;
    throw error;
  }
  const named = { syscall: "open", path };
  if (followsNoLink && facts.isSymbolicLink())
    throw fault(Error, "ELOOP", `ELOOP: too many symbolic links encountered, open '${path}'`, { errno: -40, ...named });
  if (isFolder && facts.isFile())
    throw fault(Error, "ENOTDIR", `ENOTDIR: not a directory, open '${path}'`, { errno: -20, ...named });
}

/** A folder can be opened, too: some do so to have it written through. */
function* mayRead(path: string): Steps<void> {
  try {
    yield plan("fs.read", [path, "base64", 0, 0], "open", () => {});
  } catch (error) {
    if ((error as { code?: string }).code !== "EISDIR") throw error;
  }
}
