/** The conversation of an agent of the hook's own, on its way to the host and back: in parts, as large as a call may be. */
import type { AnswerOf } from "../../../wire/answers.ts";
import { host } from "../../node/host.ts";
import type { Message } from "./agent-mirror.ts";

/** Most messages and characters of a part, unless one message has more. */
const MOST = 50;
const PART = 200_000;

/** `state`: as it is sent to the model; `session`: as the agent's session keeps it. */
export async function sendConversation(
  agent: number,
  where: "state" | "session",
  messages: readonly Message[],
): Promise<void> {
  for (let at = 0; at === 0 || at < messages.length; ) {
    const from = at;
    for (let size = 0; at < messages.length && at - from < MOST && size < PART; at++)
      size += JSON.stringify(messages[at]).length;
    await host.call("agents.messages", [agent, where, messages.slice(from, at), from === 0]);
    if (messages.length === 0) return;
  }
}

/** The conversation as the agent has it now. */
export async function wholeConversation(agent: number): Promise<Message[]> {
  const all: Message[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: AnswerOf<"agents.conversation"> = await host.call("agents.conversation", [agent, from]);
    all.push(...(page.items as Message[]));
    from = page.next;
  }
  return all;
}
