import { resolve } from "node:path";
import { slashed } from "../disk/paths.ts";
import { entriesAlone } from "./exec-git-index-paths.ts";
import type { Asks } from "./exec-git-inner.ts";
import { committedEntries, StoredChanges } from "./exec-git-stored.ts";
import { permits } from "./fs-grant.ts";

/** Commands that make the files of the work tree what an index says. */
const WRITES_FILES = new Set(["checkout", "stash"]);
/** Commands that make a commit of an index: what it lacks is removed by that. */
const COMMITS = new Set(["commit", "stash"]);

const HASH_BYTES: ReadonlyMap<string, number> = new Map([
  ["sha1", 20],
  ["sha256", 32],
]);

/**
 * What a command of git may be given of an index of the hook's: git does what that says anywhere, and may run what it wrote. Rejects
 * with why it must not be given any of it.
 *
 * @param bytes of the index; `undefined` if no file is there yet
 * @param top the work tree
 * @param mayWrite whether the hook may write what is at this path
 */
export async function givenOfOwnIndex(
  bytes: Buffer | undefined,
  command: string,
  top: string | undefined,
  mayWrite: (real: string) => boolean,
  asks: Asks,
): Promise<Buffer | undefined> {
  if (top === undefined) throw new Error("this repository has no work tree");
  const writes = WRITES_FILES.has(command);
  const changes =
    writes || COMMITS.has(command)
      ? new StoredChanges(await committedEntries(asks), (path) => mayWrite(resolve(top, path)))
      : undefined;
  let given: Buffer | undefined;
  if (bytes) {
    const format = await asks(["rev-parse", "--show-object-format"], 1000);
    const hashBytes = HASH_BYTES.get(format.stdout.trim());
    if (hashBytes === undefined) throw new Error(`the repository's hashes are unknown: ${format.stdout.trim()}`);
    const $CWD = slashed(top);
    const may = (path: string): boolean => permits(["$CWD/**"], writes ? "write" : "read", `${$CWD}/${path}`, { $CWD });
    given = await entriesAlone(bytes, { may, links: !writes, hashBytes, changes });
  }
  if (COMMITS.has(command)) changes?.end();
  return given;
}
