import { type BigIntStats, closeSync, constants, lstatSync } from "node:fs";
import type { DatabaseTarget } from "../../sandbox/wire/database.ts";
import { fsError } from "./fs-error.ts";
import { atPath, type CheckedPath, heldFolder, openFile } from "./fs-path.ts";
import { refuseSuperJournal } from "./sqlite-journal.ts";

/** Files that SQLite keeps beside a database. It follows no link to them. */
const COMPANIONS = ["-journal", "-wal", "-shm"];

/** A database's file and, on Linux, a descriptor of its folder. */
export interface DatabaseFile {
  readonly file: NonNullable<DatabaseTarget["file"]>;
  readonly folder: number | undefined;
}

/**
 * Looks at the file of a database, which is made if it is to be written and not there. Throws unless it and the files beside
 * it are regular files with one name, and its journal names no other file. The file itself is never opened here if it is there: whoever closes a file gives up
 * its locks, and the agent may have the same database open. The caller closes `folder`.
 */
export function databaseFile(checked: CheckedPath, readOnly: boolean): DatabaseFile {
  const lookAt = (ending: string): BigIntStats | undefined =>
    atPath(checked, (path) => lstatSync(path + ending, { bigint: true, throwIfNoEntry: false }));
  let status = lookAt("");
  if (!status && !readOnly) {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    closeSync(openFile(checked, flags, { alone: true, mode: 0o644 }));
    status = lookAt("");
  }
  if (!status) throw fsError("ENOENT", `no such file, open '${checked.asked}'`);
  for (const found of [status, ...COMPANIONS.map(lookAt)])
    if (found && (!found.isFile() || found.nlink > 1n))
      throw fsError(
        "EINVAL",
        `a database and the files beside it are regular files with one name, open '${checked.asked}'`,
      );
  refuseSuperJournal(checked);
  return { file: { dev: String(status.dev), ino: String(status.ino) }, folder: heldFolder(checked) };
}
