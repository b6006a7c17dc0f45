/** The conversation of an agent of the hook's own, as its events tell it. */

export type Event = { type: string; [field: string]: unknown };

export interface Message {
  role: string;
  content?: unknown;
  stopReason?: string;
  errorMessage?: string;
  usage?: { [name: string]: unknown };
  [field: string]: unknown;
}

/** What the mirror needs of a session manager of pi's. */
interface Record {
  appendMessage?(message: Message): unknown;
}

/** Messages that pi itself puts into a session's record as they are. */
const RECORDED = new Set(["system", "user", "assistant", "toolResult"]);

export class AgentMirror {
  messages: Message[] = [];
  /** The message that streams now. */
  streaming: Message | undefined;
  errorMessage: string | undefined;
  readonly pendingToolCalls = new Set<string>();
  readonly #record: Record;
  #runFrom = 0;
  #turnFrom = 0;

  /** `record`: what keeps the session, as far as the hook wants it kept. */
  constructor(record: Record) {
    this.#record = record;
  }

  /** Follows an event, and adds to it what the host left out, since it is known here. */
  follow(event: Event): void {
    const message = event.message as Message | undefined;
    switch (event.type) {
      case "agent_start":
        this.#runFrom = this.messages.length;
        this.errorMessage = undefined;
        return;
      case "turn_start":
        this.#turnFrom = this.messages.length;
        return;
      case "message_start":
        if (message?.role === "assistant") this.streaming = message;
        return;
      case "message_update":
        this.streaming = message;
        event.assistantMessageEvent = { ...(event.assistantMessageEvent as object), partial: message };
        return;
      case "message_end":
        if (message) this.#add(message);
        return;
      case "tool_execution_start":
        this.pendingToolCalls.add(String(event.toolCallId));
        return;
      case "tool_execution_end":
        this.pendingToolCalls.delete(String(event.toolCallId));
        return;
      case "turn_end": {
        const turn = this.messages.slice(this.#turnFrom);
        event.message = turn.findLast(({ role }) => role === "assistant");
        event.toolResults = turn.filter(({ role }) => role === "toolResult");
        return;
      }
      case "agent_end":
        this.streaming = undefined;
        event.messages = this.messages.slice(this.#runFrom);
    }
  }

  #add(message: Message): void {
    this.streaming = undefined;
    this.messages.push(message);
    if (message.role === "assistant" && message.errorMessage !== undefined) this.errorMessage = message.errorMessage;
    if (RECORDED.has(message.role)) this.#record.appendMessage?.(message);
  }
}
