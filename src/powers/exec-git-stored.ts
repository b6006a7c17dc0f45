import { setImmediate as turn } from "node:timers/promises";
import type { Asks } from "./exec-git-inner.ts";
import { quoted } from "./quoted.ts";

/** Bytes of the list of all files of a large repository. */
const MAX_LIST_BYTES = 64_000_000;
/** Bytes of an answer of one line. */
const SHORT = 1000;
/** Entries that are read before others get their turn. */
const PIECE = 5000;

/** One entry of an index. */
export interface Entry {
  readonly path: string;
  /** Its mode and its hash, as `git ls-tree` says them, and what of it no commit has. */
  readonly state: string;
  readonly isLink: boolean;
}

/**
 * What an index of a hook's own would change of the current commit. What git makes of such an index, a plain checkout brings into
 * the work tree at any time, so that it counts as written.
 */
export class StoredChanges {
  /** Of the commit, those that the index did not name yet. */
  readonly #left: Map<string, string>;
  readonly #mayWrite: (path: string) => boolean;

  /**
   * @param committed the entries of the current commit, by path: mode and hash
   * @param mayWrite whether the hook may write a path of the work tree
   */
  constructor(committed: ReadonlyMap<string, string>, mayWrite: (path: string) => boolean) {
    this.#left = new Map(committed);
    this.#mayWrite = mayWrite;
  }

  /** Throws for an entry that the commit has otherwise, or not at all, unless the hook may write it. */
  look({ path, state, isLink }: Entry): void {
    const isSame = this.#left.get(path) === state;
    this.#left.delete(path);
    if (isSame) return;
    // Where a link leads is looked at when a hook puts one, and not when git does.
    if (isLink) throw new Error(`it changes ${quoted(path)}, which is a link`);
    if (!this.#mayWrite(path)) throw new Error(`it changes ${quoted(path)}, ${REMEDY}`);
  }

  /** Throws, once all entries were looked at, for one of the commit's that is missing, unless the hook may remove it. */
  end(): void {
    for (const path of this.#left.keys())
      if (!this.#mayWrite(path)) throw new Error(`it leaves out ${quoted(path)}, ${REMEDY}`);
  }
}

const REMEDY = "which takes fs.write of that path in the hook's grant";

/** The entries of the current commit, by path; none before the first commit. Rejects if they cannot be told. */
export async function committedEntries(asks: Asks): Promise<ReadonlyMap<string, string>> {
  const committed = new Map<string, string>();
  const head = await asks(["rev-parse", "--verify", "HEAD"], SHORT);
  if (head.code === 128 && head.stderr === NO_COMMIT) return committed;
  const listed = await asks(["ls-tree", "-r", "-z", "--full-tree", head.stdout.trim()], MAX_LIST_BYTES);
  if (head.code !== 0 || listed.code !== 0 || listed.stdout.length >= MAX_LIST_BYTES)
    throw new Error(`the current commit cannot be read: ${(head.stderr + listed.stderr).trim()}`);
  const { stdout } = listed;
  for (let at = 0, read = 1; at < stdout.length; read++) {
    const end = stdout.indexOf("\0", at);
    const [, mode, hash, path] = LISTED.exec(stdout.slice(at, end)) ?? [];
    if (end < 0 || path === undefined) throw new Error("the current commit cannot be read: it has an unknown entry");
    committed.set(path, `${mode} ${hash}`);
    at = end + 1;
    if (read % PIECE === 0) await turn();
  }
  return committed;
}

/** What git says where a branch has no commit yet. */
const NO_COMMIT = "fatal: Needed a single revision\n";
/** An entry of `git ls-tree`. */
const LISTED = /^(\d{6}) [a-z]+ ([0-9a-f]+)\t(.+)$/s;
