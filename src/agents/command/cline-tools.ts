import { shellWord } from "../../base/shell-word.ts";
import { callsOfPatch } from "./apply-patch.ts";
import { isRecord, textOf } from "./fields.ts";
import { type Input, type ToolTable, Unreadable } from "./spoken.ts";

type Part = { tool: string; input: Input };

/**
 * Cline's tools, in every form that they take: it runs also what its own description of a tool does not have, such as
 * `{cmd: "ls"}`. Of a call with two forms at once, nobody here knows which one runs.
 */
export const CLINE_TOOLS: ToolTable = {
  run_commands: {
    parts: (input) => commandsIn(input).map((command) => ({ tool: "bash", input: { command } })),
    join: ({ command, ...others }) =>
      Object.keys(others).length === 0 ? { commands: [textOf(command, "command")] } : undefined,
  },
  read_files: { parts: (input) => filesIn(input).map((file) => ({ tool: "read", input: file })) },
  editor: { parts: (input) => [editOf(input)] },
  apply_patch: { parts: (input) => callsOfPatch(textOf(onlyOf(input, ["input", "patch"])[1], "input")) },
};

function commandsIn(input: Input): string[] {
  const [name, value] = onlyOf(input, ["commands", "command", "cmd"]);
  return name === "commands" ? listOf(value).map(commandOf) : [commandOf(name === "cmd" ? value : input)];
}

/** The text of a command; of a program and its arguments, as a shell would write it. */
function commandOf(one: unknown): string {
  if (!isRecord(one)) return textOf(one, "command");
  const { args = [], command } = one;
  const parts = listOf(args).map((arg) => {
    if (typeof arg !== "string") throw new Unreadable("a command whose arguments are no texts");
    return shellWord(arg);
  });
  return [textOf(command, "command"), ...parts].join(" ");
}

function filesIn(input: Input): Input[] {
  const [name, value] = onlyOf(input, ["files", "file_paths", "paths", ...FILE_NAMES]);
  return FILE_NAMES.includes(name) ? [fileOf(input)] : listOf(value).map(fileOf);
}

const FILE_NAMES = ["path", "file_path", "filePath"];

function fileOf(one: unknown): Input {
  if (!isRecord(one)) return { path: textOf(one, "path") };
  const [name, value] = onlyOf(one, FILE_NAMES);
  const { [name]: _path, ...others } = one;
  return { ...others, path: textOf(value, "path") };
}

function editOf({ path, old_text, new_text, insert_line }: Input): Part {
  const [file, text] = [textOf(path, "path"), String(new_text)];
  const isNew = typeof old_text !== "string" && typeof insert_line !== "number";
  if (isNew) return { tool: "write", input: { path: file, content: text } };
  return { tool: "edit", input: { path: file, oldText: typeof old_text === "string" ? old_text : "", newText: text } };
}

/** The one field of these that an input has. */
function onlyOf(input: Input, names: readonly string[]): [name: string, value: unknown] {
  const [name, ...more] = names.filter((one) => Object.hasOwn(input, one));
  if (name === undefined || more.length > 0) throw new Unreadable(`a call without one of ${names.join(", ")}`);
  return [name, input[name]];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
