import { isRecord, textOf } from "./fields.ts";
import { type Input, type ToolShape, type ToolTable, Unreadable } from "./spoken.ts";

type Part = { tool: string; input: Input };

const SHELL: ToolShape = { tool: "bash", fields: { cwd: "working_dir" } };
const READ: ToolShape = { parts: readsOf };
const WRITE: ToolShape = { parts: (input) => [writeOf(input)] };

/** Kiro's tools, under both names of each: the source of its predecessor, Amazon Q CLI, says what they take. */
export const KIRO_TOOLS: ToolTable = {
  execute_bash: SHELL,
  shell: SHELL,
  fs_read: READ,
  read: READ,
  fs_write: WRITE,
  write: WRITE,
};

/** One call reads several files, lists folders and searches in files: each is a reading of its path. */
function readsOf({ operations = [], ...alone }: Input): Part[] {
  if (!Array.isArray(operations)) throw new Unreadable('a call whose "operations" are no list');
  const isAlone = operations.length === 0 || alone.path !== undefined || alone.image_paths !== undefined;
  return [...operations, ...(isAlone ? [alone] : [])].flatMap(readingsOf);
}

function readingsOf(operation: unknown): Part[] {
  if (!isRecord(operation)) throw new Unreadable("a call with an operation that is no object");
  const { image_paths: images = [], path, ...others } = operation;
  if (!Array.isArray(images)) throw new Unreadable('a call whose "image_paths" are no list');
  const paths = path === undefined && images.length > 0 ? images : [path, ...images];
  return paths.map((one) => ({ tool: "read", input: { ...others, path: textOf(one, "path") } }));
}

function writeOf(input: Input): Part {
  const { command, old_str: oldText, new_str: newText, file_text: content } = input;
  const path = textOf(input.path, "path");
  switch (command) {
    case "create":
      return { tool: "write", input: { path, content: content ?? newText ?? "" } };
    case "str_replace":
      return { tool: "edit", input: { path, oldText, newText } };
    case "insert":
    case "append":
      return { tool: "edit", input: { path, oldText: "", newText } };
    default:
      throw new Unreadable("a call that writes in a way that is not known");
  }
}
