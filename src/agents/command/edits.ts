import { inputOf, textOf } from "./fields.ts";
import { type Input, Unreadable } from "./spoken.ts";

type Part = { tool: string; input: Input };

/** Several changes of one file, as calls of `edit`. */
export function editsOf({ file_path, edits }: Input): Part[] {
  const path = textOf(file_path, "file_path");
  if (!Array.isArray(edits) || edits.length === 0) throw new Unreadable('a call without a list of "edits"');
  return edits.map((edit) => {
    const { old_string: oldText, new_string: newText } = inputOf(edit, "edits");
    return { tool: "edit", input: { path, oldText, newText } };
  });
}

/** A file is removed: a change of it that leaves nothing. */
export function removalOf({ path, file_path }: Input): Part[] {
  if (path !== undefined && file_path !== undefined) throw new Unreadable('a call with both "path" and "file_path"');
  return [{ tool: "edit", input: { path: textOf(path ?? file_path, "path"), oldText: "", newText: "" } }];
}
