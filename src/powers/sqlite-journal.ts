import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { fsError } from "./fs-error.ts";
import { type CheckedPath, openFile } from "./fs-path.ts";

/** What ends a journal of SQLite with the name of a super-journal, behind the length and the sum of that name. */
const MARK = Buffer.from("d9d505f920a163d7", "hex");
const LENGTH_AND_SUM = 8;

/** Journals that SQLite does not open either. */
const UNOPENED: ReadonlySet<unknown> = new Set(["ENOENT", "ELOOP", "EISDIR"]);

/**
 * Throws if the journal beside a database names a super-journal: a transaction over several databases makes one. Once it has rolled back,
 * SQLite deletes the file of that name; some versions whatever file it is, and whoever may write the journal names any. The mark alone
 * decides: versions differ in what else makes a name. There are no locks on a journal, which closing it here would give up.
 *
 * @see https://www.sqlite.org/fileformat2.html#the_rollback_journal
 */
export function refuseSuperJournal({ asked, real }: CheckedPath): void {
  const journal: CheckedPath = { asked: `${asked}-journal`, real: `${real}-journal` };
  let file: number;
  try {
    file = openFile(journal, constants.O_RDONLY);
  } catch (error) {
    if (UNOPENED.has((error as NodeJS.ErrnoException).code)) return;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (size < LENGTH_AND_SUM + MARK.length) return;
    const end = Buffer.alloc(MARK.length);
    readSync(file, end, 0, end.length, size - end.length);
    if (end.equals(MARK))
      throw fsError(
        "EINVAL",
        `${journal.asked} names a super-journal, which SQLite may delete: use the database once with the program that wrote it, open '${asked}'`,
      );
  } finally {
    closeSync(file);
  }
}
