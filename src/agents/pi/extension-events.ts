import { EXTENSION_EVENTS } from "../../../sandbox/wire/events.ts";
import type { ExtensionEvent, ExtensionEventResult } from "../../extension-events.ts";
import type { HookHost } from "../../host/host.ts";
import type { PiEvent } from "./pi-api.ts";

/** Events that go to hooks in pi's own shape. */
export const PASSED_EVENTS: readonly string[] = [
  ...Object.keys(EXTENSION_EVENTS),
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
];

/** Shows hooks an event of pi's, and returns what they decided as pi takes it. */
export async function passToHooks(host: HookHost, event: PiEvent): Promise<unknown> {
  const heard = host.hasHandlers(event.type);
  // pi's `systemPrompt` and others are getters.
  const result = heard ? ((await host.emit({ ...event } as ExtensionEvent)) as ExtensionEventResult) : undefined;
  if (event.type === "project_trust") return { trusted: "undecided", ...result };
  return result && (RESULTS[event.type] ?? nothing)(result, event);
}

const nothing = (): undefined => undefined;
const whole = (result: ExtensionEventResult): object => result;

/** What pi takes as the result of each event that it asks about. */
const RESULTS: Readonly<Record<string, (result: ExtensionEventResult, event: PiEvent) => unknown>> = {
  resources_discover: whole,
  session_before_tree: whole,
  context: whole,
  context_with_system: whole,
  turn_end: whole,
  agent_before_settle: whole,
  message_end: whole,
  cache_warming_decision: whole,
  input: whole,
  before_provider_request: ({ payload }) => payload,
  before_provider_headers({ headers }, event) {
    if (headers) replaceMembers(event.headers, headers);
  },
  before_agent_start({ systemPrompt, systemPromptOptions, messages }, event) {
    if (systemPromptOptions) replaceMembers(event.systemPromptOptions, systemPromptOptions);
    const message = messages && joined(messages);
    return { ...(message ? { message } : {}), ...(systemPrompt === undefined ? {} : { systemPrompt }) };
  },
  user_bash({ result }) {
    if (!result) return undefined;
    const { exitCode, cancelled = false, truncated = false } = result;
    return { result: { ...result, exitCode: exitCode ?? undefined, cancelled, truncated } };
  },
};

/** pi reads these objects after its handlers have run. */
function replaceMembers(target: Record<string, unknown>, members: object): void {
  for (const name of Object.keys(target)) if (!Object.hasOwn(members, name)) delete target[name];
  Object.assign(target, members);
}

interface Message {
  content: string | object[];
}

/** pi takes one message of an extension. Those of several hooks become one; each part begins with its hook's name. */
function joined(messages: readonly Message[]): Message | undefined {
  const [first, ...more] = messages;
  if (!first || more.length === 0) return first;
  const parts = messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
  return { ...first, content: parts };
}
