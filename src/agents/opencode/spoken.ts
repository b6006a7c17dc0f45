import { callsOfPatch } from "../command/apply-patch.ts";
import { folderOf, inputOf, isRecord, optionalText, parseEvent, textOf } from "../command/fields.ts";
import { textBefore, withoutTexts, withTextOfServer } from "../command/response-text.ts";
import type { CommandAgent, Input, Said, ToolTable } from "../command/spoken.ts";

const FILE = { path: "filePath" };

const TOOLS: ToolTable = {
  bash: { tool: "bash", fields: { cwd: "workdir" } },
  read: { tool: "read", fields: FILE },
  write: { tool: "write", fields: FILE },
  edit: { tool: "edit", fields: { ...FILE, oldText: "oldString", newText: "newString" } },
  glob: { tool: "find", fields: {} },
  grep: { tool: "grep", fields: {} },
  apply_patch: { parts: ({ patchText }) => callsOfPatch(textOf(patchText, "patchText")) },
};

/**
 * opencode, as Cordon's plugin there speaks: `{directory, input, output}` under the name of opencode's own hook or event. Its
 * plugins have no dialog to put a question in.
 */
export const opencode: CommandAgent = {
  name: "opencode",
  title: "opencode",
  asks: false,
  rewrites: "whole",
  replacesResults: true,
  contexts: [],
  tools: TOOLS,
  read(text, heard) {
    const { directory, input: given, output = {} } = parseEvent(text, heard);
    const input = inputOf(given, "input");
    const info = isRecord(input.info) ? input.info : {};
    const session = textOf(input.sessionID ?? info.id, "sessionID");
    const said = saidBy(heard.event, input, inputOf(output, "output"));
    return { session, cwd: folderOf(directory, "directory"), event: heard.event, said };
  },
  say({ said }, given) {
    if (given.kind === "block") return { exit: 2, text: given.reason };
    if (given.kind === "change") return { exit: 0, text: JSON.stringify({ args: given.input }) };
    if (given.kind === "result" && said.kind === "result")
      return { exit: 0, text: JSON.stringify({ output: replaced(said.details, given.text) }) };
    return { exit: 0, text: "" };
  },
  block: (reason) => ({ exit: 2, text: reason }),
};

function saidBy(event: string, input: Input, output: Input): Said {
  const use = (args: unknown) => ({
    tool: textOf(input.tool, "tool"),
    input: inputOf(args, "args"),
    id: optionalText(input.callID),
  });
  switch (event) {
    case "tool.execute.before":
      return { kind: "call", use: use(output.args) };
    case "tool.execute.after":
      return { kind: "result", use: use(input.args), text: resultText(output), details: output, isError: false };
    case "chat.message":
      return promptOf(output);
    case "session.idle":
      return { kind: "tell", event: { type: "agent_end", messages: [] } };
    case "session.created":
      return { kind: "start" };
    case "session.deleted":
    case "dispose":
      return { kind: "end" };
    default:
      return { kind: "unknown" };
  }
}

/** A tool's own output, and its files behind that; of a tool of an MCP server, which gives a list of contents instead, all of it. */
const resultText = (output: Input): string =>
  typeof output.output === "string" && output.content === undefined
    ? [output.output, filesOf(output)].filter(Boolean).join("\n")
    : JSON.stringify(output);

/** Files that the model gets beside the text, as JSON. */
const filesOf = ({ attachments }: Input): string =>
  Array.isArray(attachments) && attachments.length > 0 ? JSON.stringify({ attachments }) : "";

/** A result with nothing of the old one's texts, also where only the screen shows them. Its files stay if they stand in the text as before. */
function replaced(details: unknown, text: string): unknown {
  if (isRecord(details) && details.content !== undefined) return withTextOfServer(details, text);
  const bare = withoutTexts(details);
  if (!isRecord(bare) || !isRecord(details)) return text;
  const before = textBefore(filesOf(details), text);
  const files = before === undefined ? [] : details.attachments;
  return { ...bare, output: before ?? text, ...("attachments" in details ? { attachments: files } : {}) };
}

function promptOf({ parts }: Input): Said {
  const texts = (Array.isArray(parts) ? parts : []).flatMap((part) =>
    isRecord(part) && part.type === "text" && part.synthetic !== true ? [String(part.text)] : [],
  );
  if (texts.length === 0) return { kind: "other" };
  return { kind: "tell", event: { type: "input", text: texts.join("\n"), source: "interactive" } };
}
