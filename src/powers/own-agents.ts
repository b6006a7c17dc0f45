import type { AgentMade } from "../../sandbox/wire/answers.ts";
import type { ImageContent } from "../hook-api.ts";
import { afterWaking } from "../supervisor/waking-time.ts";
import { AgentEvents } from "./agent-events.ts";
import type {
  AgentCall,
  AgentChange,
  AgentResult,
  AgentSetup,
  AgentWatch,
  Judged,
  LentAgent,
  ModelName,
} from "./lent-agents.ts";

/** Most characters of a conversation that a hook gives to an agent, as JSON. */
const MAX_CONVERSATION = 8_000_000;

const OVER = "this agent is over";

/** What the host does for agents of hooks: judges their calls, and runs tools in their hooks. `hook`: its id. */
export interface AgentGates {
  judge(hook: string, call: AgentCall, signal: AbortSignal | undefined): Promise<Judged>;
  pass(hook: string, result: AgentResult): ReturnType<AgentWatch["pass"]>;
  runTool(hook: string, agent: number, ...call: Parameters<AgentWatch["runTool"]>): ReturnType<AgentWatch["runTool"]>;
}

/** An agent of a hook's own. Once it is over, none of its calls passes. */
export class OwnAgent {
  readonly events = new AgentEvents();
  readonly setup: AgentSetup;
  #model: ModelName | undefined;
  /** The names of the tools that it may have. */
  readonly #tools: ReadonlySet<string>;
  readonly #own: ReadonlySet<string>;
  readonly #number: number;
  readonly #ended: (agent: OwnAgent) => void;
  #lent: LentAgent | undefined;
  #why: string | undefined;
  readonly #over = new AbortController();
  readonly #parts = new Map<"state" | "session", { messages: object[]; size: number }>();

  constructor(number: number, setup: AgentSetup, ended: (agent: OwnAgent) => void) {
    this.#number = number;
    this.setup = setup;
    this.#model = setup.model;
    this.#own = new Set(setup.own.map(({ name }) => name));
    this.#tools = new Set([...setup.tools, ...this.#own]);
    this.#ended = ended;
  }

  /** The model that its hook chose; `undefined`: that of the session. */
  get model(): ModelName | undefined {
    return this.#model;
  }

  /** What the lending agent is to ask about it. */
  watch(hook: string, gates: AgentGates): AgentWatch {
    const refused = (toolName: string): string | undefined => {
      if (this.#why !== undefined) return this.#why;
      return this.#tools.has(toolName) ? undefined : `the agent of hook ${hook} was made without the tool ${toolName}`;
    };
    return {
      hook,
      judge: async (call, signal) => {
        const before = refused(call.toolName);
        if (before !== undefined) return { blocked: before };
        const judged = await gates.judge(hook, call, signal);
        // It may have ended while it was judged.
        const after = refused(call.toolName);
        return after === undefined ? judged : { blocked: after };
      },
      pass: (result) => gates.pass(hook, result),
      runTool: async (call, options) => {
        const fault = this.#own.has(call.toolName) ? refused(call.toolName) : `the hook has no tool ${call.toolName}`;
        if (fault !== undefined) return { content: [{ type: "text", text: fault }], isError: true };
        return gates.runTool(hook, this.#number, call, options);
      },
      onEvent: (event) => {
        if (!this.events.push(event)) this.end("its hook does not read its events");
      },
    };
  }

  /** The lending agent made it. It may be over by now. */
  made(lent: LentAgent): AgentMade {
    this.#lent = lent;
    if (this.#why !== undefined) lent.end();
    return { agent: this.#number, sessionId: lent.sessionId, ...this.facts };
  }

  /** What of it may change. */
  get facts(): Pick<AgentMade, "systemPrompt" | "tools" | "model" | "thinkingLevel"> {
    const { systemPrompt, tools, model, thinkingLevel } = this.#live;
    return { systemPrompt, tools: [...tools], model: model ?? null, thinkingLevel };
  }

  get messages(): readonly unknown[] {
    return this.#live.messages;
  }

  /** Takes a part of a conversation. */
  take(where: "state" | "session", messages: readonly object[], isFirst: boolean): void {
    const before = isFirst ? undefined : this.#parts.get(where);
    const size = (before?.size ?? 0) + JSON.stringify(messages).length;
    if (size > MAX_CONVERSATION) throw new RangeError(`a conversation of more than ${MAX_CONVERSATION} characters`);
    const all = [...(before?.messages ?? []), ...messages];
    this.#parts.set(where, { messages: all, size });
    this.#live.setMessages(where, all);
  }

  async change(change: AgentChange): Promise<void> {
    const other = change.tools?.find((name) => !this.#tools.has(name));
    if (other !== undefined) throw new TypeError(`an agent that was made without the tool ${other}`);
    await this.#live.change(change);
    this.#model = change.model ?? this.#model;
  }

  /** Resolves when it is done. Ends it if that takes too long. */
  async prompt(
    text: string,
    how: { deliverAs?: "steer" | "followUp"; images?: readonly ImageContent[] },
    limitMs: number,
  ): Promise<void> {
    const lent = this.#live;
    const cancel = afterWaking(limitMs, () => this.end(`one prompt took it more than ${limitMs} ms`));
    try {
      await lent.prompt(text, how);
    } finally {
      cancel();
    }
    if (this.#why !== undefined) throw new Error(this.#why);
  }

  async abort(): Promise<void> {
    await this.#lent?.abort();
  }

  /** For good. */
  end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    this.events.end(why);
    this.#ended(this);
    this.#parts.clear();
    this.#over.abort();
    this.#lent?.end();
  }

  /** Aborted when it is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get #live(): LentAgent {
    if (!this.#lent || this.#why !== undefined) throw new Error(this.#why ?? OVER);
    return this.#lent;
  }
}

interface Mine {
  last: number;
  readonly open: Map<number, OwnAgent>;
}

/** The agents of hooks in one session. */
export class OwnAgents {
  readonly #byHook = new Map<string, Mine>();
  #gates: AgentGates | undefined;

  /** Sets what judges their calls. */
  servedBy(gates: AgentGates): void {
    this.#gates = gates;
  }

  get gates(): AgentGates {
    if (!this.#gates) throw new Error("nothing judges the calls of agents here");
    return this.#gates;
  }

  /** How many of a hook's are not over. */
  count(hook: string): number {
    return this.#of(hook).open.size;
  }

  begin(hook: string, setup: AgentSetup): OwnAgent {
    const mine = this.#of(hook);
    const number = ++mine.last;
    const agent = new OwnAgent(number, setup, () => mine.open.delete(number));
    mine.open.set(number, agent);
    return agent;
  }

  /** An agent of this hook's, and of no other. Throws if it is over. */
  of(hook: string, number: number): OwnAgent {
    const found = this.#of(hook).open.get(number);
    if (!found) throw new Error(OVER);
    return found;
  }

  #of(hook: string): Mine {
    const mine = this.#byHook.get(hook) ?? { last: 0, open: new Map() };
    this.#byHook.set(hook, mine);
    return mine;
  }
}
