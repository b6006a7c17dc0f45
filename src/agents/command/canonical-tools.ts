import { nearKey, nearKeyWithin, twinKeys } from "../../base/key-case.ts";
import { shellWord } from "../../base/shell-word.ts";
import { inQuotes } from "../../base/text.ts";
import { type CommandAgent, type Input, type ToolShape, type ToolTable, type ToolUse, Unreadable } from "./spoken.ts";

/**
 * What hooks judge of a call. A tool without a canonical form keeps its own name; if it takes a command, hooks judge that, too:
 * agents get new tools, and most that have a command give it to a shell.
 */
export function toCanonical(table: ToolTable, use: ToolUse): ToolUse[] {
  const twins = twinKeys(use.input);
  if (twins) throw bothNames(...twins);
  const shape = shapeOf(table, use.tool);
  if (!shape) return [use, ...commandsIn(use)];
  if ("parts" in shape) {
    refuseNear(nearKeyWithin(use.input, shape.names ?? []));
    return [use, ...shape.parts(use.input).map((part) => ({ ...part, id: use.id }))];
  }
  const names = Object.entries(shape.fields).map(([canonical, own]): Names => [own, canonical]);
  const also = shape.also?.(use.input) ?? [];
  return [
    { ...use, tool: shape.tool, input: renamed(use.input, names) },
    ...also.map((part) => ({ ...part, id: use.id })),
  ];
}

/** What a call of these is about, and names that agents have for it, without marks and in small letters. */
const SUBJECTS: Readonly<Record<string, { field: string; names: readonly string[] }>> = {
  bash: { field: "command", names: ["command", "cmd", "commandline"] },
  ...Object.fromEntries(
    ["read", "write", "edit"].map((tool) => [
      tool,
      { field: "path", names: ["path", "file", "filepath", "filename", "absolutepath", "relativepath", "targetfile"] },
    ]),
  ),
};

/**
 * The same as {@link toCanonical}, of a call that may run. Throws where a known tool says what it is about under a name that is not known
 * here, or in no text: hooks would judge a call without it, and the agent may run it all the same.
 */
export function toJudge(table: ToolTable, use: ToolUse): ToolUse[] {
  const parts = toCanonical(table, use);
  const shape = shapeOf(table, use.tool);
  const subject = shape && "fields" in shape && Object.hasOwn(SUBJECTS, shape.tool) ? SUBJECTS[shape.tool] : undefined;
  const input = parts[0]?.input ?? {};
  if (!subject || typeof input[subject.field] === "string") return parts;
  const other = Object.keys(input).find((name) => subject.names.includes(name.toLowerCase().replace(/[^a-z]/g, "")));
  if (other !== undefined)
    throw new Unreadable(`the call has ${inQuotes(other)} and no text ${inQuotes(subject.field)}`);
  return parts;
}

/** What hooks judge of a call's result: that of each thing that it did. */
export function resultsOf({ tools, shows = {} }: Pick<CommandAgent, "tools" | "shows">, use: ToolUse): ToolUse[] {
  const parts = toCanonical(tools, use);
  const shown = Object.hasOwn(shows, use.tool) ? shows[use.tool] : undefined;
  return shown === undefined ? parts : [...parts, { tool: shown, input: { command: "" }, id: use.id }];
}

/** What hooks made of a call, under the agent's own names. `tool`: the agent's. */
export function toAgent(table: ToolTable, tool: string, input: Input): Input {
  const shape = shapeOf(table, tool);
  return shape && "fields" in shape ? renamed(input, Object.entries(shape.fields)) : input;
}

/** What hooks made of the only part of a call, under the agent's own names. `undefined` if the agent cannot run that. */
export function joined(table: ToolTable, tool: string, part: Input): Input | undefined {
  const shape = shapeOf(table, tool);
  return shape && "parts" in shape ? shape.join?.(part) : undefined;
}

/** Tools of an MCP server are judged by their names, as agents write these. */
const OF_SERVER = /^mcp[_:]/i;
const COMMAND_FIELDS = ["command", "command_line", "commandline", "cmd"];

function commandsIn({ tool, input, id }: ToolUse): ToolUse[] {
  if (OF_SERVER.test(tool)) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const command = COMMAND_FIELDS.includes(name.toLowerCase()) ? commandOf(value) : undefined;
    return command === undefined ? [] : [{ tool: "bash", input: { command }, id }];
  });
}

/** The text of a command; of a program and its arguments, as a shell would write it. */
function commandOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const isProgram = Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string");
  return isProgram ? value.map(shellWord).join(" ") : undefined;
}

type Names = [from: string, to: string];

const shapeOf = (table: ToolTable, tool: string): ToolShape | undefined =>
  Object.hasOwn(table, tool) ? table[tool] : undefined;

const bothNames = (one: string, other: string): Unreadable =>
  new Unreadable(`the call has both ${inQuotes(one)} and ${inQuotes(other)}`);

function refuseNear(near: string | undefined): void {
  if (near !== undefined)
    throw new Unreadable(`the call has ${inQuotes(near)}, which is one of its names in another case`);
}

/** Two fields of one name could not be told apart: hooks would judge one, and the tool take the other. */
function renamed(input: Input, names: readonly Names[]): Input {
  refuseNear(nearKey(input, names.flat()));
  const to = new Map(names.filter(([from, name]) => from !== name && Object.hasOwn(input, from)));
  for (const name of to.values())
    if (Object.hasOwn(input, name) && !to.has(name)) throw bothNames(name, "its other name");
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [to.get(name) ?? name, value]));
}
