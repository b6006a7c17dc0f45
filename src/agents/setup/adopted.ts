import { existsSync, lstatSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Static } from "typebox";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { CordonError, messageOf } from "../../base/errors.ts";
import { compile, exactly } from "../../base/schema.ts";
import Type from "../../base/type.ts";
import { readIfThere, readToEdit, writeAtomically } from "../../disk/atomic-file.ts";
import { inHome } from "../../disk/home.ts";
import { withLock } from "../../disk/lock-file.ts";
import { makeFolders } from "../../disk/make-folders.ts";
import { write } from "./change.ts";
import { isSame, itemsAt, withItem, withoutItem } from "./json-edits.ts";
import type { Entry } from "./setup.ts";

const Item = exactly({
  kind: Type.Literal("item"),
  file: Type.String(),
  list: Type.String(),
  at: Type.Integer({ minimum: 0 }),
  value: Type.Unknown(),
  /** What took its place. */
  instead: Type.Optional(Type.Unknown()),
  /** The whole file, then and since. */
  before: Type.String(),
  after: Type.String(),
});
const File = exactly({
  kind: Type.Literal("file"),
  file: Type.String(),
  /** Where it lies now. */
  kept: Type.String(),
});

/** What was taken out of an agent, and which hooks of Cordon's took its place. */
const Adopted = exactly({
  agent: Type.String(),
  hooks: Type.Array(Type.String()),
  at: Type.String(),
  entry: Type.Union([Item, File]),
});
export type Adopted = Static<typeof Adopted>;

const check = compile(exactly({ version: Type.Literal(1), adopted: Type.Array(Adopted) }));

const recordPath = (home: string): string => inHome(home, "adopted.json");

/** What was taken out of agents, oldest first. Throws `BAD_GRANT` for a record that is broken. */
export function readAdopted(home: string): Adopted[] {
  const path = recordPath(home);
  const text = readIfThere(path);
  if (text === undefined) return [];
  try {
    const value: unknown = readJson(text);
    if (check.Check(value)) return value.adopted;
  } catch (error) {
    throw new CordonError("BAD_GRANT", `${path}: ${messageOf(error)}`);
  }
  throw new CordonError("BAD_GRANT", `${path}: it is not a record of Cordon's; move it away`);
}

function changeAdopted(home: string, change: (adopted: Adopted[]) => Adopted[]): void {
  const path = recordPath(home);
  withLock(path, (held) => {
    const adopted = change(readAdopted(home));
    writeAtomically(path, `${JSON.stringify({ version: 1, adopted }, null, 2)}\n`, 0o600, held);
  });
}

const isOf = (one: Adopted, other: Adopted): boolean => one.agent === other.agent && isSame(one.entry, other.entry);

/**
 * Takes an entry out of an agent. The record comes first, so that whatever is taken out can be put back. `instead`: what an item
 * of settings becomes. Throws `BAD_GRANT` if the entry is not there any more.
 */
export function takeOut(
  home: string,
  taken: { agent: string; hooks: string[] },
  entry: Entry,
  instead?: unknown,
): void {
  const kept = entry.kind === "file" ? join(keptFolder(home, entry.file), basename(entry.file)) : "";
  const adopted: Adopted = {
    ...taken,
    at: new Date().toISOString(),
    entry: entry.kind === "file" ? { ...entry, kept } : itemTaken(entry, instead),
  };
  if (entry.kind === "file" && !isThere(entry.file)) throw gone(entry.file);
  changeAdopted(home, (all) => [...all.filter((one) => !isOf(one, adopted)), adopted]);
  try {
    if (adopted.entry.kind === "item") write({ ...adopted.entry, mode: 0o600 });
    else {
      makeFolders(dirname(kept));
      renameSync(entry.file, kept);
    }
  } catch (error) {
    changeAdopted(home, (all) => all.filter((one) => !isOf(one, adopted)));
    throw error;
  }
}

function itemTaken(entry: Extract<Entry, { kind: "item" }>, instead: unknown): Static<typeof Item> {
  const { file, list, value } = entry;
  const before = readToEdit(file) ?? "";
  const after = withoutItem(before, { path: [list], value, instead }, file);
  if (after === undefined) throw gone(file);
  return { ...entry, before, after, ...(instead === undefined ? {} : { instead }) };
}

const gone = (file: string): CordonError =>
  new CordonError("BAD_GRANT", `${file} changed meanwhile: nothing was taken out of it; look again`);

/** Puts back what was taken out. What is there already stays as it is. Throws `BAD_GRANT` for another file in its place. */
export function putBack(home: string, adopted: Adopted): void {
  const { entry } = adopted;
  if (entry.kind === "item") putItemBack(entry);
  else if (isThere(entry.kept)) {
    if (isThere(entry.file))
      throw new CordonError("BAD_GRANT", `${entry.file} is there; move it away first: ${entry.kept} belongs there`);
    mkdirSync(dirname(entry.file), { recursive: true });
    renameSync(entry.kept, entry.file);
  }
  changeAdopted(home, (all) => all.filter((one) => !isOf(one, adopted)));
}

function putItemBack({ file, list, at, value, instead, ...known }: Static<typeof Item>): void {
  const before = readToEdit(file) ?? null;
  // As it was left, it becomes what it was, byte for byte.
  if (before === known.after) {
    write({ file, before, after: known.before, mode: 0o600 });
    return;
  }
  const items = itemsAt(before ?? "", [list], file);
  if (items.some((one) => isSame(one, value))) return;
  const replaced =
    instead === undefined
      ? undefined
      : withoutItem(before ?? "", { path: [list], value: instead, instead: value }, file);
  const after = replaced ?? withItem(before ?? "", { path: [list], value, at }, file);
  write({ file, before, after, mode: 0o600 });
}

/** A folder for one file that was taken out: two may have one name. */
function keptFolder(home: string, file: string): string {
  const root = inHome(home, "adopted");
  for (let number = 1; ; number++) {
    const folder = join(root, String(number));
    if (!existsSync(folder) || !isThere(join(folder, basename(file)))) return folder;
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
