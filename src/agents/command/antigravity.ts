import { folderOf, inputOf, parseEvent, textOf } from "./fields.ts";
import { plainBlock } from "./json-block.ts";
import { type CommandAgent, type Input, Unreadable } from "./spoken.ts";

const TEXTS = { oldText: "TargetContent", newText: "ReplacementContent" };

/**
 * Antigravity's command line. It reads a decision from the output of a command that ends with 0, and takes none, or one that it
 * does not understand, for a block. A pass is its `ask`, by which the person's own rules decide: `allow` would go before them.
 * Its events have neither a name nor a session.
 */
export const antigravity: CommandAgent = {
  name: "antigravity",
  title: "Antigravity CLI",
  asks: true,
  rewrites: undefined,
  replacesResults: false,
  contexts: [],
  tools: {
    run_command: { tool: "bash", fields: { command: "CommandLine", cwd: "Cwd" } },
    view_file: { tool: "read", fields: { path: "AbsolutePath" } },
    write_to_file: { tool: "write", fields: { path: "TargetFile", content: "CodeContent" } },
    replace_file_content: { tool: "edit", fields: { path: "TargetFile", ...TEXTS } },
    multi_replace_file_content: {
      parts: editsOf,
      names: ["TargetFile", "ReplacementChunks", ...Object.values(TEXTS)],
    },
    // What is typed into a command that runs.
    send_command_input: {
      parts: ({ Input }) => (Input === undefined ? [] : [{ tool: "bash", input: { command: textOf(Input, "Input") } }]),
      names: ["Input"],
    },
  },
  read(text, heard) {
    const event = parseEvent(text, heard);
    const roots = Array.isArray(event.workspacePaths) ? event.workspacePaths : [];
    const cwd = roots[0] === undefined ? heard.cwd : folderOf(roots[0], "workspacePaths");
    if (heard.event !== "PreToolUse") return { session: undefined, cwd, event: heard.event, said: { kind: "unknown" } };
    const call = inputOf(event.toolCall, "toolCall");
    const use = { tool: textOf(call.name, "toolCall.name"), input: inputOf(call.args, "toolCall.args"), id: undefined };
    return { session: undefined, cwd, event: heard.event, said: { kind: "call", use } };
  },
  say({ said }, given) {
    if (given.kind === "block") return plainBlock("antigravity", "", given.reason);
    if (given.kind === "ask") return decide("force_ask", given.question);
    return said.kind === "call" ? decide("ask", "") : { exit: 0, text: "" };
  },
  block: (reason, event) => plainBlock("antigravity", event, reason),
};

function editsOf({ TargetFile, ReplacementChunks }: Input): { tool: string; input: Input }[] {
  const path = textOf(TargetFile, "TargetFile");
  if (!Array.isArray(ReplacementChunks) || ReplacementChunks.length === 0)
    throw new Unreadable("a call without a list of ReplacementChunks");
  return ReplacementChunks.map((chunk) => {
    const { [TEXTS.oldText]: oldText, [TEXTS.newText]: newText } = inputOf(chunk, "ReplacementChunks");
    return { tool: "edit", input: { path, oldText, newText } };
  });
}

const decide = (decision: string, reason: string) => ({ exit: 0 as const, text: JSON.stringify({ decision, reason }) });
