import { chmodSync, lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { attemptOr } from "../../base/attempt.ts";
import { CordonError } from "../../base/errors.ts";
import { readToEdit, writeAtomically } from "../../disk/atomic-file.ts";
import { isSame, itemsAt, withEntries, withoutEntries } from "./json-edits.ts";
import type { Change, JsonEntry } from "./setup.ts";

/** One file, and what it is to become. `null`: no file. */
export interface FileChange {
  /** As it is named; a link is followed when it is written. */
  file: string;
  before: string | null;
  after: string | null;
  /** Permissions of a new file. */
  mode: number;
}

/** What entering Cordon changes. `own`: what its commands begin with; `known`: what it wrote before. Throws `BAD_GRANT` for a file that it cannot add to. */
export function entering(change: Change, own: string, known: string | undefined): FileChange {
  const { file } = change;
  const before = readToEdit(file) ?? null;
  if (change.kind === "entries")
    return {
      file,
      before,
      after: withEntries(before ?? "", change.entries, { file, own, base: change.base ?? {} }),
      mode: 0o600,
    };
  if (before !== null && before !== change.content && before !== known)
    throw new CordonError("BAD_GRANT", `${file} is there, and not Cordon's; move it away first`);
  return { file, before, after: change.content, mode: change.mode };
}

/**
 * What taking Cordon out changes: a file that is as Cordon left it becomes what it was, byte for byte; of another one, only
 * Cordon's own entries go.
 */
export function leaving(change: Change, own: string, recorded: { before: string | null; after: string }): FileChange {
  const { file } = change;
  const now = readToEdit(file) ?? null;
  const mode = change.kind === "file" ? change.mode : 0o600;
  if (now === recorded.after) return { file, before: now, after: recorded.before, mode };
  // Somebody else's file by now, or none.
  if (now === null || change.kind === "file") return { file, before: now, after: now, mode };
  return {
    file,
    before: now,
    after: withoutEntries(now, entriesIn(recorded, change), { file, own }, recorded.before ?? "{}"),
    mode,
  };
}

/** The entries with the values that were written: some have paths in them, which may be others by now. */
const entriesIn = (
  { before, after }: { before: string | null; after: string },
  { entries, file }: Extract<Change, { kind: "entries" }>,
): JsonEntry[] =>
  entries.map((entry) => {
    if (entry.isValue || after === "") return entry;
    const old = itemsAt(before ?? "", entry.path, file);
    const written = itemsAt(after, entry.path, file).find((one) => !old.some((item) => isSame(item, one)));
    return { ...entry, value: written ?? entry.value };
  });

/** Writes a file as planned. Throws `BAD_GRANT` if it is another one by now, or cannot be written. */
export function write({ file, before, after, mode }: FileChange): void {
  if ((readToEdit(file) ?? null) !== before)
    throw new CordonError("BAD_GRANT", `${file} changed meanwhile: nothing was written there; try again`);
  if (after === before) return;
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (after === null) {
    // A file of Cordon's that a person keeps in a folder of their own, too.
    if (isLink) rmSync(realpathSync(file));
    rmSync(file);
    return;
  }
  // Settings are often links into a folder of one's own; a link stays, and what it leads to is written.
  const target = isLink ? realpathSync(file) : file;
  const status = statSync(target, { throwIfNoEntry: false });
  if (status && (status.mode & 0o200) === 0)
    throw new CordonError("BAD_GRANT", `${file} is read-only; make it writable first`);
  writeAtomically(target, after, status ? status.mode & 0o777 : mode);
  // Some systems take bits away from what a process creates.
  if (!status) attemptOr(() => chmodSync(target, mode), undefined);
}
