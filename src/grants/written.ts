import { AGENT_ACTS, type AgentAct, type AgentRead } from "../../sandbox/wire/choices.ts";
import type { Capabilities } from "./schema.ts";

/**
 * What a source of pi's dialect names of pi's own API: rights to decide about events, parts of `ui`, functions of the agent.
 * Samples do not reach everything that a hook does. Never a file, a program, a place or a variable: these are seen only when
 * they are tried. A pattern looks a limited way ahead, and can be wrong: this is a part of a proposal, which a person reads.
 */
export function writtenIn(source: string): Capabilities {
  const rights = RIGHTS.filter(([, event, decides]) => isNear(source, event, decides)).map(([right]) => right);
  const changed = CHANGES.filter(([, event, decides]) => isNear(source, event, decides)).map(([right]) => right);
  const tools = toolsIn(source);
  const ui = UI.filter(([, pattern]) => pattern.test(source)).map(([part]) => part);
  const agent = [...AGENT].filter(([, pattern]) => pattern.test(source)).map(([name]) => name);
  const session = TEXTS.filter(([, event, reads]) => isNear(source, event, reads)).map(([part]) => part);
  const events = Object.fromEntries([
    ...rights.map((right) => [right, true]),
    ...changed.map((right) => [right, tools.length > 0 ? tools : ["*"]]),
  ]);
  return {
    ...(Object.keys(events).length > 0 ? { events: { see: [], ...events } } : {}),
    ...(ui.length > 0 ? { ui: [...new Set(ui)] } : {}),
    ...(agent.length > 0 ? { agent: [...new Set(agent)] } : {}),
    ...(session.length > 0 ? { session } : {}),
    ...(/\.\s{0,20}send(User)?Message\s{0,20}\(|\bpi\s{0,9}\.\s{0,9}send\s{0,9}\(/.test(source)
      ? { send: { perMinute: 6 } }
      : {}),
  };
}

/** The name of an event in quotes. */
const named = (names: string): RegExp => new RegExp(`\\bon\\s{0,20}\\(\\s{0,20}["'\`](?:${names})["'\`]`, "g");

type Sign<Right> = readonly [right: Right, event: RegExp, decides: RegExp];

/** A handler is written where it is registered, or anywhere (`far`): then what it decides must be unlike anything else. */
const far = (pattern: RegExp): RegExp => new RegExp(pattern.source, "g");

// biome-ignore format: a table
const RIGHTS: readonly Sign<"cancel" | "compact" | "trustProject" | "rewritePrompt" | "rewriteContext" | "rewriteUserInput">[] = [
  ["cancel", named("session|session_before_\\w+"), far(/\bcancel\s{0,9}:\s{0,9}true\b|\breturn\s{0,9}\{\s{0,99}cancel\b/)],
  ["compact", named("session|session_before_compact"), far(/\breturn\s{0,9}\{\s{0,99}compaction(Entry)?\b/)],
  ["compact", named("session_before_tree"), /\breturn\s{0,9}\{[^}]{0,200}\b(summary|customInstructions|label)\b/],
  ["trustProject", named("project_trust"), far(/\btrusted\s{0,9}[:,}]/)],
  ["rewritePrompt", named("before_agent_start"), far(/\breturn\s{0,9}\(?\{[^}]{0,300}\bsystemPrompt\b|\bsystemPrompt\s{0,9}:\s{0,9}[`"'$[({]|\bmessage\s{0,9}:\s{0,9}\{\s{0,99}customType\b/)],
  ["rewritePrompt", named("resources_discover"), far(/\b(skill|prompt|theme)Paths\b/)],
  ["rewriteContext", named("context|context_with_system"), far(/\breturn\s{0,9}\(?\{[^}]{0,300}\bmessages\b|=>\s{0,9}\(\{\s{0,99}messages\b|\bevent\.messages(\.(push|splice|unshift)\b|\s{0,9}=[^=])/)],
  ["rewriteContext", named("before_provider_request"), /\breturn\s{1,9}[^;\s}]/],
  ["rewriteContext", named("before_provider_headers"), far(/\bheaders\b/)],
  ["rewriteContext", named("stop|subagent_stop"), far(/\bfollowUp\s{0,9}[:,}]/)],
  ["rewriteContext", named("subagent_start"), far(/\bcontext\s{0,9}:/)],
  ["rewriteContext", named("message_end"), /\breturn\s{0,9}\{[^}]{0,200}\bmessage\b/],
  ["rewriteUserInput", named("input"), far(/\baction\s{0,9}:\s{0,9}["'`](transform|handled)["'`]/)],
  ["rewriteUserInput", named("user_bash"), /\breturn\s{0,9}\{/],
];

/** Texts of the conversation in events, which are only there with the power to read them. */
const TEXTS: readonly Sign<"entries" | "messages">[] = [
  ["messages", named("before_agent_start"), far(/\b(event|e)\.systemPrompt\b/)],
  ["messages", named("agent_end"), far(/\b(event|e)\.messages\b/)],
];

// biome-ignore format: a table
const CHANGES: readonly Sign<"rewriteInput" | "rewriteResult">[] = [
  ["rewriteInput", named("tool_call"), far(/\b(event|e)\.input(\.\w{1,99}|\[[^\]]{1,99}\])?\s{0,9}=[^=]|\bObject\.assign\(\s{0,9}event\.input\b/)],
  ["rewriteResult", named("tool_result"), /\breturn\s{0,9}\(?\{[^}]{0,300}\b(content|details|isError)\b/],
];

/** How far from the name of its event a handler is looked at, and how many handlers. */
const NEAR = 3000;
const MOST = 100;

function isNear(source: string, event: RegExp, decides: RegExp): boolean {
  const found = source.matchAll(event).take(MOST).toArray();
  if (decides.global) return found.length > 0 && source.search(decides) >= 0;
  return found.some(({ index }) => decides.test(source.slice(index, index + NEAR)));
}

/** pi's own tools that a source speaks of. */
const toolsIn = (source: string): string[] =>
  ["bash", "read", "write", "edit", "grep", "find", "ls"].filter((name) =>
    new RegExp(`\\b(?:toolName\\b[^;{}]{0,99}|isTool(?:Call|Result)EventType\\(\\s{0,20})["'\`]${name}["'\`]`).test(
      source,
    ),
  );

/** What a source calls: `f(`, `f?.(`, `f<Type>(`. */
const CALL = "\\s{0,9}(?:\\?\\.)?(?:<[^]{0,300}?>)?\\s{0,9}\\(";
const ofUI = (name: string): RegExp =>
  new RegExp(`\\b\\w{0,40}(?:ui|UI|Ui|[cC]tx)\\s{0,9}[?!]?\\.\\s{0,20}${name}${CALL}`);
const called = (names: string): RegExp => new RegExp(`\\.\\s{0,20}(?:${names})${CALL}`);

type Part = NonNullable<Capabilities["ui"]>[number];

const UI: readonly [part: Part, sign: RegExp][] = [
  ...(["notify", "select", "confirm", "input", "editor"] as const).map((name): [Part, RegExp] => [name, ofUI(name)]),
  // Of OpenClaw's plugins.
  ["confirm", /\brequireApproval\s{0,9}:/],
  ["show", called("set(Status|Widget|Title|Working(Message|Visible|Indicator)|HiddenThinkingLabel|ToolsExpanded)")],
  ["editor", called("(set|get)EditorText|pasteToEditor")],
  ["draw", ofUI("custom")],
  ["draw", called("set(Footer|Header)|register(Message|Entry|Tool)Renderer")],
  ["draw", /\.\s{0,20}setWidget\s{0,9}\([^;]{0,200}=>/],
  ["typing", called("setEditorComponent|addAutocompleteProvider|onTerminalInput")],
];

/** What `abort` and `fork` of others are is another matter. */
const COMMON_NAMES: ReadonlySet<string> = new Set(["abort", "compact", "fork", "reload", "shutdown"]);

const AGENT: ReadonlyMap<AgentRead | AgentAct, RegExp> = new Map<AgentRead | AgentAct, RegExp>([
  ...AGENT_ACTS.map((name): [AgentAct, RegExp] => [
    name,
    COMMON_NAMES.has(name)
      ? new RegExp(`\\b(?:\\w{0,40}[cC]tx|context|pi)\\s{0,9}[?!]?\\.\\s{0,20}${name}\\s{0,9}\\(`)
      : called(name),
  ]),
  ["activeTools", called("getActiveTools")],
  ["allTools", called("getAllTools")],
  ["commands", called("getCommands")],
  ["thinkingLevel", called("getThinkingLevel")],
  [
    "models",
    /\bmodel(Registry|Runtime)\s{0,9}[?!]?\.\s{0,20}get(All|Available|Models)\b|\bresolve(CliModel|ModelScope\w{0,20})\s{0,9}\(/,
  ],
]);
