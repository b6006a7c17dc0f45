import { toCanonical } from "../agents/command/canonical-tools.ts";
import type { Answer, CommandAgent } from "../agents/command/spoken.ts";
import type { ExtensionEventResult, HookEvent } from "../hook-api.ts";
import type { HookHost } from "../host/host.ts";
import type { LogLine } from "../session/log-line.ts";

export const PASS: Answer = { kind: "pass" };

/** Whose event it is, and who hears what was dropped of the answer. */
interface Teller {
  agent: CommandAgent;
  log(line: LogLine): void;
}

/** Tells hooks an event that is no call and no result, and answers what they decided. `name`: the agent's own, of the event. */
export async function tellHooks(host: HookHost, to: Teller, given: HookEvent, name: string): Promise<Answer> {
  const [event, ...more] = canonical(to.agent, given);
  let told = ((await host.emit(event)) ?? {}) as ExtensionEventResult;
  for (const other of more)
    if (told.deny === undefined) told = ((await host.emit(other)) ?? {}) as ExtensionEventResult;
  switch (event.type) {
    case "input":
      if (told.action === "handled") return { kind: "block", reason: "a hook took this prompt" };
      return contextOf(to, await addedTo(host, event.text), name);
    case "permission_request":
      return told.deny === undefined ? PASS : { kind: "block", reason: told.deny };
    case "subagent_start":
      return contextOf(to, told.context, name);
    case "stop":
      // Hooks of pi hear the end of a run under this name.
      await host.emit({ type: "agent_end", messages: [] });
      return goOn(told.followUp, event.isAgain);
    case "subagent_stop":
      return goOn(told.followUp, event.isAgain);
    case "session":
      return told.cancel === true ? { kind: "block", reason: "a hook keeps the conversation as it is" } : PASS;
    default:
      return PASS;
  }
}

/** A call that the person is asked about has the names that hooks know: one event for each thing that it does. */
function canonical({ tools }: CommandAgent, event: HookEvent): readonly [HookEvent, ...HookEvent[]] {
  if (event.type !== "permission_request") return [event];
  const [first, ...more] = toCanonical(tools, { tool: event.toolName, input: event.input, id: undefined }).map(
    ({ tool, input }) => ({ ...event, toolName: tool, input }),
  );
  return [first ?? event, ...more];
}

/** What hooks add before the model reads a prompt. These agents tell nothing of their system prompt. */
async function addedTo(host: HookHost, prompt: string): Promise<string | undefined> {
  if (!host.hasHandlers("before_agent_start")) return undefined;
  const event = { type: "before_agent_start", messageType: "user", prompt, systemPrompt: "" } as const;
  const { messages = [] } = ((await host.emit(event)) ?? {}) as { messages?: { content?: unknown }[] };
  const texts = messages.map(({ content }) => textOf(content)).filter((text) => text !== "");
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : [])).join("\n");
}

/** A text for the model, where the agent takes one with this event of its own. */
function contextOf({ agent, log }: Teller, text: string | undefined, name: string): Answer {
  if (text === undefined) return PASS;
  if (agent.contexts.includes(name)) return { kind: "context", text };
  log({ level: "warn", text: `${agent.title} takes no text of hooks with ${name}: it was dropped` });
  return PASS;
}

/** Once in a row: a hook must not keep a person from ending a turn. */
const goOn = (text: string | undefined, isAgain: boolean): Answer =>
  text === undefined || isAgain ? PASS : { kind: "continue", text };
