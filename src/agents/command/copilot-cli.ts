import { callsOfPatch, patchIn } from "./apply-patch.ts";
import { folderOf, inputOf, isRecord, optionalText, parseEvent, textOf } from "./fields.ts";
import { plainBlock } from "./json-block.ts";
import { beforeCompactOf, notificationOf, stopOf, subagentStartOf, subagentStopOf } from "./other-events.ts";
import { textOfResponse, withText } from "./response-text.ts";
import type { CommandAgent, Input, Said, ToolShape, ToolUse } from "./spoken.ts";

const SHELL: ToolShape = { tool: "bash", fields: {} };

/** What is typed into a shell that runs. */
const TYPED: ToolShape = { parts: ({ input }) => [{ tool: "bash", input: { command: String(input) } }] };

/**
 * GitHub Copilot's command line, entered under event names in camel case. Under those in Pascal case it writes a patch as a call
 * of `Edit`, and other tools under Claude Code's names with its own fields. It says to the model that a command ended with 2,
 * and leaves out why.
 */
export const copilotCli: CommandAgent = {
  name: "copilot-cli",
  title: "Copilot CLI",
  asks: true,
  rewrites: "whole",
  replacesResults: true,
  contexts: [],
  tools: {
    bash: SHELL,
    powershell: SHELL,
    write_bash: TYPED,
    write_powershell: TYPED,
    view: { tool: "read", fields: {} },
    create: { tool: "write", fields: { content: "file_text" } },
    edit: { tool: "edit", fields: { oldText: "old_str", newText: "new_str" } },
    glob: { tool: "find", fields: {} },
    grep: { tool: "grep", fields: {} },
    apply_patch: { parts: (input) => callsOfPatch(patchIn(input, ["patch", "input"])) },
  },
  shows: { read_bash: "bash", read_powershell: "bash" },
  read(text, heard) {
    const event = parseEvent(text, heard);
    const cwd = event.cwd === undefined ? heard.cwd : folderOf(event.cwd, "cwd");
    return { session: optionalText(event.sessionId), cwd, event: heard.event, said: saidBy(heard.event, event) };
  },
  say({ said }, given) {
    // It takes no refusal of what it only tells.
    if (given.kind === "block" && said.kind === "tell") return { exit: 0, text: "" };
    if (given.kind === "block") return plainBlock("copilot-cli", "", given.reason);
    return { exit: 0, text: given.kind === "pass" ? "" : JSON.stringify(answerOf(said, given)) };
  },
  block: (reason, event) => plainBlock("copilot-cli", event, reason),
};

type Told = Exclude<Parameters<CommandAgent["say"]>[1], { kind: "pass" | "block" }>;

function answerOf(said: Said, given: Told): object {
  if (given.kind === "continue") return { decision: "block", reason: given.text };
  if (given.kind === "context") return {};
  if (given.kind === "result") {
    const details = said.kind === "result" && isRecord(said.details) ? said.details : {};
    return {
      modifiedResult: withText({ resultType: "success", textResultForLlm: "", ...details }, given.text),
    };
  }
  return {
    ...(given.kind === "ask" ? { permissionDecision: "ask", permissionDecisionReason: given.question } : {}),
    ...(given.input ? { modifiedArgs: given.input } : {}),
  };
}

function saidBy(name: string, event: Input): Said {
  switch (name) {
    case "preToolUse":
      return { kind: "call", use: useOf(event) };
    case "postToolUse": {
      const details = event.toolResult;
      return { kind: "result", use: useOf(event), text: textOfResponse(details), details, isError: false };
    }
    case "postToolUseFailure": {
      const text = optionalText(event.error) ?? JSON.stringify(event.error ?? "");
      return { kind: "result", use: useOf(event), text, details: event.error, isError: true };
    }
    case "userPromptSubmitted":
      return { kind: "tell", event: { type: "input", text: textOf(event.prompt, "prompt"), source: "interactive" } };
    case "agentStop":
      return { kind: "tell", event: stopOf(event) };
    case "subagentStart":
      return { kind: "tell", event: subagentStartOf(event) };
    case "subagentStop":
      return { kind: "tell", event: subagentStopOf(event) };
    case "preCompact":
      return { kind: "tell", event: beforeCompactOf(event) };
    case "notification":
      return { kind: "tell", event: notificationOf(event) };
    case "sessionStart":
      return { kind: "start" };
    case "sessionEnd":
      return { kind: "end" };
    default:
      return { kind: "unknown" };
  }
}

/** A patch may come as its text, and any input as JSON text. */
function useOf(event: Input): ToolUse {
  const tool = textOf(event.toolName, "toolName");
  const given = event.toolArgs;
  const isPatch = tool === "apply_patch" && typeof given === "string" && given.trimStart().startsWith("***");
  return { tool, input: isPatch ? { patch: given } : inputOf(given, "toolArgs"), id: undefined };
}
