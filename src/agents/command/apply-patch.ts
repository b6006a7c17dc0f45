import { inQuotes } from "../../base/text.ts";
import { textOf } from "./fields.ts";
import { type Input, Unreadable } from "./spoken.ts";

interface FilePatch {
  action: "Add" | "Update" | "Delete";
  path: string;
  removed: string[];
  added: string[];
}

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const OTHER = /^\*\*\* (Begin Patch|End Patch|End of File)$/;

/** What some parsers take for the end of a line, or for a space around it, and others for a part of a name. */
const UNSURE = /[^\P{Cc}\t]|[\u2028\u2029]/u;

/** The text of a patch that a call has by one of these names. Of two, nobody here knows which one runs. */
export function patchIn(input: Input, names: readonly string[]): string {
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length > 1) throw new Unreadable(`a call with two patches: ${given.join(", ")}`);
  return textOf(input[given[0] ?? ""], names.join(", "));
}

/**
 * The files that a patch in the form of `apply_patch` touches, as calls of `write` and `edit`. A marker counts wherever it
 * stands, also with spaces around it, since agents read it so: rather one file too many than one too few. Throws
 * {@link Unreadable} for a text that touches none, for a marker that is not known, and for one that parsers read differently.
 */
export function callsOfPatch(patch: string): { tool: string; input: Input }[] {
  const files: FilePatch[] = [];
  /** Those that the lines that follow may change. */
  let changed: FilePatch[] = [];
  // With a space before it, a marker is one to some agents, and an unchanged line of the file before to others.
  const begin = (file: FilePatch, isAlone: boolean): void => {
    files.push(file);
    changed = isAlone ? [file] : [...changed, file];
  };
  for (const line of patch.split(/\r?\n/)) {
    if (line.includes("***") && UNSURE.test(line))
      throw new Unreadable(`a patch with a marker beside a character that may end a line: ${shown(line)}`);
    const marker = line.trim();
    const [, action, path] = FILE.exec(marker) ?? [];
    const [, target] = MOVE.exec(marker) ?? [];
    const file = files.at(-1);
    if (path !== undefined)
      begin({ action: action as FilePatch["action"], path: path.trim(), removed: [], added: [] }, line.startsWith("*"));
    // Both are changed by the lines that follow.
    else if (target !== undefined) {
      const { action: same, removed, added } = file ?? { action: "Update", removed: [], added: [] };
      begin({ action: same, path: target.trim(), removed: [...removed], added: [...added] }, false);
    } else if (OTHER.test(marker)) continue;
    else if (line.startsWith("***")) throw new Unreadable(`a patch with an unknown line: ${shown(line)}`);
    else if (line.startsWith("+")) for (const one of changed) one.added.push(line.slice(1));
    else if (line.startsWith("-")) for (const one of changed) one.removed.push(line.slice(1));
  }
  if (files.length === 0) throw new Unreadable("a patch that names no file");
  return files.map(({ action, path, removed, added }) =>
    action === "Add"
      ? { tool: "write", input: { path, content: added.join("\n") } }
      : { tool: "edit", input: { path, oldText: removed.join("\n"), newText: added.join("\n") } },
  );
}

const shown = (line: string): string => inQuotes(line.slice(0, 80));
