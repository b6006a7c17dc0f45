/** The objects below pi's `AgentSession` that extensions read and write. */
import type { AgentMirror, Event, Message } from "./agent-mirror.ts";

export type Listener = (event: Event) => unknown;

interface Session {
  readonly sessionId: string;
  readonly systemPrompt: string;
  readonly model: unknown;
  readonly thinkingLevel: string;
  readonly isStreaming: boolean;
  getAllTools(): object[];
  subscribe(listener: Listener): () => void;
  abort(): Promise<void>;
  waitForIdle(): Promise<void>;
}

/** The state of a session's agent, as it is when it is read. `replace`: gives the agent another conversation. */
export const stateOf = (session: Session, mirror: AgentMirror, replace: (messages: Message[]) => void): object => ({
  get messages(): Message[] {
    return mirror.messages;
  },
  set messages(messages: Message[]) {
    replace(messages);
  },
  get systemPrompt(): string {
    return session.systemPrompt;
  },
  get model(): unknown {
    return session.model;
  },
  get thinkingLevel(): string {
    return session.thinkingLevel;
  },
  get tools(): object[] {
    return session.getAllTools();
  },
  get isStreaming(): boolean {
    return session.isStreaming;
  },
  get streamingMessage(): Message | undefined {
    return mirror.streaming;
  },
  get pendingToolCalls(): ReadonlySet<string> {
    return mirror.pendingToolCalls;
  },
  get errorMessage(): string | undefined {
    return mirror.errorMessage;
  },
});

/** pi's `Agent`, as far as extensions use it. */
export const agentOf = (session: Session, state: object): object => ({
  state,
  get sessionId(): string {
    return session.sessionId;
  },
  subscribe: (listener: Listener) => session.subscribe(listener),
  abort: () => void session.abort(),
  waitForIdle: () => session.waitForIdle(),
  replaceMessages(messages: Message[]): void {
    (state as { messages: Message[] }).messages = messages;
  },
  reset(): void {
    (state as { messages: Message[] }).messages = [];
  },
});
