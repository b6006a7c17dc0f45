/** pi's `AgentSession`, of an agent that the host runs for the hook. What it does comes as events. */
import type { AgentMade } from "../../../wire/answers.ts";
import type { ArgumentsOf } from "../../../wire/operations.ts";
import { host, notOffered } from "../../node/host.ts";
import { sendConversation, wholeConversation } from "./agent-conversation.ts";
import { agentOf, type Listener, stateOf } from "./agent-face.ts";
import { AgentMirror, type Event, type Message } from "./agent-mirror.ts";
import { AgentPump } from "./agent-pump.ts";
import { lastText, statsOf } from "./agent-stats.ts";

type Images = NonNullable<ArgumentsOf<"agents.prompt">[2]["images"]>;
type Queue = "steer" | "followUp";
type Part = { type: "text"; text?: string } | ({ type: "image" } & Images[number]);

interface PromptOptions {
  images?: Images;
  streamingBehavior?: Queue;
}

export interface Parts {
  readonly sessionManager: object;
  readonly settingsManager: unknown;
  readonly resourceLoader: unknown;
  readonly modelRuntime: object;
  /** The tools of the hook's. */
  readonly own: readonly { name: string }[];
}

/** Members of pi's that need the agent's own process, or files of it. */
const ELSEWHERE = [
  ...["compact", "abortCompaction", "fork", "navigateTree", "reload", "executeBash", "recordBashResult"],
  ...["exportToHtml", "exportToJsonl", "cycleModel", "cycleThinkingLevel", "clearQueue", "summarizeForBugReport"],
];

export class AgentSession {
  readonly agent: object;
  readonly sessionManager: object;
  readonly settingsManager: unknown;
  readonly resourceLoader: unknown;
  readonly modelRuntime: object;
  readonly sessionFile = undefined;
  sessionName: string | undefined;
  readonly #number: number;
  readonly #own: readonly { name: string }[];
  readonly #mirror: AgentMirror;
  readonly #pump: AgentPump;
  readonly #listeners = new Set<Listener>();
  #made: Omit<AgentMade, "agent">;
  /** Why it is over. */
  #over: string | undefined;
  #runs = 0;
  /** How many messages the host knows of. */
  #known = 0;
  /** Changes that the host was told of, in their order: a prompt comes after them. */
  #told: Promise<unknown> = Promise.resolve();
  #idle: (() => void)[] = [];

  constructor({ agent: number, ...made }: AgentMade, parts: Parts) {
    this.#number = number;
    this.#made = made;
    this.#own = parts.own;
    this.sessionManager = parts.sessionManager;
    this.settingsManager = parts.settingsManager;
    this.resourceLoader = parts.resourceLoader;
    this.modelRuntime = parts.modelRuntime;
    this.#mirror = new AgentMirror(parts.sessionManager);
    this.#pump = new AgentPump(number, {
      event: (event) => this.#happened(event),
      ended: (why) => {
        this.#over ??= why;
      },
    });
    this.agent = agentOf(this, this.state);
  }

  /** Begins with the messages of a session. */
  async begin(messages: Message[]): Promise<void> {
    this.#mirror.messages = messages;
    this.#known = messages.length;
    await sendConversation(this.#number, "session", messages);
  }

  get state(): object {
    return stateOf(this, this.#mirror, (messages) => this.#replace([...messages]));
  }

  get messages(): Message[] {
    return this.#mirror.messages;
  }
  get model(): unknown {
    return this.#made.model ?? undefined;
  }
  get thinkingLevel(): string {
    return this.#made.thinkingLevel;
  }
  get systemPrompt(): string {
    return this.#made.systemPrompt;
  }
  get sessionId(): string {
    return this.#made.sessionId;
  }
  get isStreaming(): boolean {
    return this.#runs > 0;
  }
  get isIdle(): boolean {
    return this.#runs === 0;
  }

  /** Resolves when the agent is done, and its listeners have heard of all that it did. */
  async prompt(text: string, { images, streamingBehavior }: PromptOptions = {}): Promise<void> {
    await this.#ask(String(text), images, streamingBehavior);
  }

  steer(text: string, images?: Images): Promise<void> {
    return this.#ask(String(text), images, "steer");
  }

  followUp(text: string, images?: Images): Promise<void> {
    return this.#ask(String(text), images, "followUp");
  }

  sendUserMessage(content: unknown, { deliverAs }: { deliverAs?: Queue } = {}): Promise<void> {
    if (typeof content === "string") return this.#ask(content, undefined, deliverAs);
    const parts = content as Part[];
    const images = parts.filter((part) => part.type === "image");
    const texts = parts.flatMap((part) => (part.type === "text" && part.text !== undefined ? [part.text] : []));
    return this.#ask(texts.join("\n"), images.length > 0 ? images : undefined, deliverAs);
  }

  /** Returns what ends it. */
  subscribe(listener: Listener): () => void {
    const own: Listener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async abort(): Promise<void> {
    if (this.#over === undefined) await host.call("agents.abort", [this.#number]);
    await this.waitForIdle();
  }

  waitForIdle(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Ends the agent for good. */
  dispose(): void {
    if (this.#over !== undefined) return;
    this.#over = "this agent was disposed of";
    this.#listeners.clear();
    this.#pump.stop();
    for (const { name } of this.#own) host.agentTool(toolKey(this.#number, name), undefined);
    host.call("agents.end", [this.#number]).catch(() => {});
  }

  getActiveToolNames(): string[] {
    return [...this.#made.tools];
  }

  getAllTools(): object[] {
    return this.#made.tools.map((name) => this.#own.find((tool) => tool.name === name) ?? { name });
  }

  setActiveToolsByName(names: readonly string[]): void {
    this.#change({ tools: [...names] }, { tools: [...names] });
  }

  async setModel(model: { provider: string; id: string }): Promise<void> {
    this.#change({ model: { provider: model.provider, id: model.id } }, { model });
    await this.#told;
  }

  setThinkingLevel(thinkingLevel: string): void {
    this.#change({ thinkingLevel }, { thinkingLevel });
  }

  setAutoCompactionEnabled(compacts: boolean): void {
    this.#change({ compacts }, {});
  }

  setSessionName(name: string): void {
    this.sessionName = name;
  }

  /** It has no extensions. */
  async bindExtensions(): Promise<void> {}

  getLastAssistantText(): string | undefined {
    return lastText(this.messages);
  }

  getSessionStats(): object {
    return { sessionFile: undefined, sessionId: this.sessionId, ...statsOf(this.messages) };
  }

  async #ask(text: string, images: Images | undefined, deliverAs: Queue | undefined): Promise<void> {
    this.#check();
    // A hook may have changed the list in place.
    if (this.isIdle && this.messages.length !== this.#known) this.#replace(this.messages);
    this.#runs++;
    try {
      await this.#told;
      const how = { ...(deliverAs ? { deliverAs } : {}), ...(images ? { images } : {}) };
      const { count } = await host.call("agents.prompt", [this.#number, text, how]);
      await this.#pump.reached(count);
    } finally {
      this.#runs--;
      if (this.isIdle) for (const done of this.#idle.splice(0)) done();
    }
  }

  async #happened(event: Event): Promise<void> {
    this.#mirror.follow(event);
    if (event.type === "compaction_end" && event.result) this.#mirror.messages = await wholeConversation(this.#number);
    this.#known = this.messages.length;
    for (const listener of [...this.#listeners])
      try {
        listener(event);
      } catch (error) {
        console.error(error);
      }
  }

  #replace(messages: Message[]): void {
    this.#check();
    this.#mirror.messages = messages;
    this.#known = messages.length;
    const sent = [...messages];
    this.#tell(() => sendConversation(this.#number, "state", sent));
  }

  #change(change: ArgumentsOf<"agents.change">[1], now: Partial<Omit<AgentMade, "agent">>): void {
    this.#check();
    this.#made = { ...this.#made, ...now };
    this.#tell(async () => {
      this.#made = { ...this.#made, ...(await host.call("agents.change", [this.#number, change])) };
    });
  }

  /** What fails is the failure of the next prompt, which would not do what the hook wants. */
  #tell(tell: () => Promise<void>): void {
    this.#told = this.#told.then(tell);
    this.#told.catch(() => {});
  }

  #check(): void {
    if (this.#over !== undefined) throw new Error(this.#over);
  }
}

for (const name of ELSEWHERE)
  Object.defineProperty(AgentSession.prototype, name, {
    value: notOffered("AgentSession", name, "the agent runs outside of the hook"),
  });

/** The name under which the host runs a tool of an agent. */
export const toolKey = (agent: number, name: string): string => `${agent}:${name}`;
