import { cleanLine, cleanText, escapeHidden } from "../../base/text.ts";
import { callsOfPatch, patchIn } from "../command/apply-patch.ts";
import { folderOf, inputOf, isRecord, optionalText, parseEvent, textOf } from "../command/fields.ts";
import { textBefore } from "../command/response-text.ts";
import type { Answer, CommandAgent, Input, Reply, Said, Spoken, ToolUse } from "../command/spoken.ts";
import { takenCommand, takenPath } from "./taken.ts";

/** Longest title and longest text of a question that OpenClaw takes, 80 and 512, less what its own cleaning may add. */
const MAX_TITLE = 72;
const MAX_DESCRIPTION = 480;

/** A hook's question is shown whole or not at all: what follows it is the call, which is cut where it ends. */
const MAX_QUESTION = 300;

/** The states of a result that OpenClaw itself looks at. All other texts of its details go with a text that hooks replace. */
const STATES = new Set(["completed", "running", "failed", "error", "blocked", "ok", "timeout", "killed"]);

/** A tool that may take an argument otherwise than it is written: hooks judge both, and such a call cannot be changed. */
const tool = (tool: string, name: string, taken: (given: string) => string, fields: Record<string, string> = {}) => ({
  tool,
  fields,
  also(input: Input) {
    const given = input[name];
    const other = typeof given === "string" ? taken(given) : given;
    return other === given ? [] : [{ tool, input: { ...input, [name]: other } }];
  },
});

/**
 * OpenClaw. Its plugin (`plugin.ts`) hands on what OpenClaw tells its plugins, as `{event, context, cwd}`, and OpenClaw takes
 * the answers as they are. It merges a changed input into the old one.
 */
export const openclaw: CommandAgent = {
  name: "openclaw",
  title: "OpenClaw",
  asks: true,
  longestQuestion: MAX_QUESTION,
  rewrites: "fields",
  replacesResults: true,
  contexts: [],
  tools: {
    exec: tool("bash", "command", takenCommand, { cwd: "workdir" }),
    read: tool("read", "path", takenPath),
    write: tool("write", "path", takenPath),
    edit: tool("edit", "path", takenPath),
    // Code of a language of its own, and none of a shell.
    code_mode_exec: { tool: "code_mode_exec", fields: {} },
    apply_patch: { parts: (input) => callsOfPatch(patchIn(input, ["input", "patch", "command"])) },
  },
  read(text, heard): Spoken {
    const { event: given, context, cwd, allowed } = parseEvent(text, heard);
    const event = inputOf(given, "event");
    const known = { ...event, ...inputOf(context, "context") };
    return {
      session: optionalText(known.sessionId) ?? optionalText(known.sessionKey),
      cwd: cwd === undefined ? heard.cwd : folderOf(cwd, "cwd"),
      event: heard.event,
      said: saidBy(heard.event, event, optionalText(allowed)),
    };
  },
  say(spoken, given): Reply {
    return given.kind === "block" ? block(given.reason) : json(wordsFor(spoken, given));
  },
  block,
};

const json = (value: object): Reply => ({ exit: 0, text: JSON.stringify(value) });

function block(reason: string): Reply {
  return json({ block: true, blockReason: reason });
}

function wordsFor({ said }: Spoken, given: Exclude<Answer, { kind: "block" }>): object {
  switch (given.kind) {
    case "ask":
      return {
        requireApproval: {
          title: cleanLine(`Cordon: a hook asks about ${toolOf(said)}`, MAX_TITLE),
          description: descriptionOf(given.question, said, given.input),
          severity: "warning",
          // What is allowed for ever is in the grants, which are not changed from a chat.
          allowedDecisions: ["allow-once", "deny"],
        },
        question: given.id,
        ...(given.input ? { params: given.input } : {}),
      };
    case "change":
      return { params: given.input };
    case "result":
      return { result: resultWith(said.kind === "result" ? said.details : {}, given.text) };
    // It takes no text for the model from these events.
    case "context":
    case "continue":
    case "pass":
      return {};
  }
}

function saidBy(name: string, event: Input, allowed: string | undefined): Said {
  switch (name) {
    case "before_tool_call":
      return { kind: "call", use: useOf(event, event.params), ...(allowed === undefined ? {} : { allowed }) };
    case "tool_result": {
      const result = inputOf(event.result, "result");
      const isError = event.isError === true;
      return { kind: "result", use: resultOf(event, result), text: textIn(result), details: result, isError };
    }
    case "before_agent_run":
      return { kind: "tell", event: { type: "input", text: textOf(event.prompt, "prompt"), source: "interactive" } };
    case "agent_end":
      return { kind: "tell", event: { type: "agent_end", messages: [] } };
    case "session_start":
      return { kind: "start" };
    case "session_end":
      return { kind: "end" };
    default:
      return { kind: "unknown" };
  }
}

/** Its code mode has a tool `exec`, too, whose command is a program in JavaScript. */
function useOf(event: Input, input: unknown): ToolUse {
  const tool = optionalText(event.toolKind) ?? textOf(event.toolName, "toolName");
  return { tool, input: inputOf(input, "params"), id: optionalText(event.toolCallId) };
}

/** Its tool `tool_call` runs another one, which hooks judge by itself, and has its result: they see it as that tool's. */
function resultOf(event: Input, { details }: Input): ToolUse {
  const use = useOf(event, event.args);
  if (use.tool !== "tool_call") return ofShell(use);
  const run = isRecord(details) && isRecord(details.tool) ? optionalText(details.tool.name) : undefined;
  // Long details are cut off, and the name with them. An id ends with it, as in `openclaw:core:exec`.
  const tool = run ?? optionalText(use.input.id)?.split(":").at(-1) ?? use.tool;
  return ofShell({ ...use, tool, input: isRecord(use.input.args) ? use.input.args : {} });
}

/** What `process` shows is what a command said that went on in the background. */
const ofShell = (use: ToolUse): ToolUse =>
  use.tool === "process" ? { ...use, tool: "exec", input: { command: "", ...use.input } } : use;

const toolOf = (said: Said): string => (said.kind === "call" ? said.use.tool : "a call");

/** `input`: the call's, as hooks changed it. */
function descriptionOf(question: string, said: Said, input = said.kind === "call" ? said.use.input : {}): string {
  return cleanText(`${question}\n${toolOf(said)}: ${escapeHidden(JSON.stringify(input))}`, MAX_DESCRIPTION);
}

const blocksOf = ({ content }: Input): unknown[] => (Array.isArray(content) ? content : []);

const isText = (part: unknown): part is { text: string } =>
  isRecord(part) && part.type === "text" && typeof part.text === "string";

/** What the model gets beside texts, as JSON; an empty text if that is nothing. */
function othersIn(result: Input): string {
  const others = blocksOf(result).filter((part) => !isText(part));
  return others.length === 0 ? "" : JSON.stringify(others);
}

const textIn = (result: Input): string =>
  [...blocksOf(result).flatMap((part) => (isText(part) ? [part.text] : [])), othersIn(result)]
    .filter((part) => part !== "")
    .join("\n");

/**
 * The result with another text. What is no text stays if its JSON is still there. The details have the tool's own text again, for the
 * screen and the session's file.
 */
function resultWith(details: unknown, text: string): object {
  const result = isRecord(details) ? details : {};
  const before = textBefore(othersIn(result), text);
  const kept = before === undefined ? [] : blocksOf(result).filter((part) => !isText(part));
  return { content: [{ type: "text", text: before ?? text }, ...kept], details: withoutTexts(result.details) };
}

function withoutTexts(details: unknown): Input {
  if (!isRecord(details)) return {};
  const isKept = ([name, value]: [string, unknown]): boolean =>
    typeof value === "number" || typeof value === "boolean" || (name === "status" && STATES.has(String(value)));
  return Object.fromEntries(Object.entries(details).filter(isKept));
}
