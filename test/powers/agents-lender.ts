import { onTestFinished } from "vitest";
import type { AgentsGrant } from "../../src/powers/agents-grant.ts";
import type { AgentSetup, AgentWatch, LentAgent, MakeAgent } from "../../src/powers/lent-agents.ts";
import type { AgentServices } from "../../src/powers/lent-session.ts";
import { type Sources, startSession } from "../support/session.ts";

/** An agent that was made for a hook, and what the hook did with it. */
export interface Made {
  setup: AgentSetup;
  watch: AgentWatch;
  done: unknown[];
  messages: readonly object[];
  isOver: boolean;
}

type OnPrompt = (made: Made, text: string) => Promise<void> | void;

const ANSWER = {
  role: "assistant",
  content: [{ type: "text", text: "an answer" }],
  api: "a",
  provider: "p",
  model: "m",
  usage: {
    input: 1,
    output: 2,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 3,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: "stop",
  timestamp: 1,
};

/** Says an answer, as pi does. */
export function answers({ watch }: Made, text: string): void {
  const user = { role: "user", content: [{ type: "text", text }], timestamp: 1 };
  const tell = (...events: object[]): void => {
    for (const event of events) watch.onEvent(event);
  };
  tell({ type: "agent_start" }, { type: "turn_start" });
  for (const message of [user, ANSWER]) tell({ type: "message_start", message }, { type: "message_end", message });
  tell({ type: "turn_end", message: ANSWER, toolResults: [] }, { type: "agent_end", messages: [user, ANSWER] });
}

/** An agent that lends agents to hooks: each does at a prompt what the test says. */
export function lender(onPrompt: OnPrompt = answers): { services: AgentServices; made: Made[] } {
  const made: Made[] = [];
  const agents: MakeAgent = async (setup, watch) => {
    const one: Made = { setup, watch, done: [], messages: [], isOver: false };
    made.push(one);
    let tools = [...setup.tools, ...setup.own.map(({ name }) => name)];
    const lent: LentAgent = {
      sessionId: "inner",
      systemPrompt: setup.systemPrompt ?? "You are.",
      get tools() {
        return tools;
      },
      model: setup.model ?? { provider: "p", id: "m" },
      thinkingLevel: setup.thinkingLevel ?? "off",
      get messages() {
        return one.messages;
      },
      setMessages(where, messages) {
        one.done.push(["messages", where, messages.length]);
        one.messages = messages;
      },
      change(change) {
        one.done.push(["change", change]);
        tools = [...(change.tools ?? tools)];
      },
      async prompt(text, how) {
        one.done.push(["prompt", text.length > 100 ? text.length : text, how]);
        await onPrompt(one, text);
      },
      async abort() {
        one.done.push(["abort"]);
      },
      end() {
        one.isOver = true;
      },
    };
    return lent;
  };
  return { services: { state: () => ({ model: { provider: "p", id: "m" } }), agents }, made };
}

/** A hook whose command `go` runs this body with `session`, made with these options, and tells what it returns. */
export const runs = (body: string, options = "{}", top = ""): string => `
import { createAgentSession, SessionManager, DefaultResourceLoader, ModelRuntime } from "@earendil-works/pi-coding-agent";
${top}
export default (pi: any) => {
  pi.registerCommand("go", { handler: async (args: string, ctx: any) => {
    let said;
    try { said = await (async () => {
      const make = async () => createAgentSession(${options});
      ${body}
    })(); } catch (e: any) { said = [e.code ?? e.name, e.message]; }
    console.log(JSON.stringify(said ?? null));
  } });
};`;

export const READS = [{ tools: ["read"] }];

/** Starts a host with a hook that may have such agents, and others. */
export async function agentsOf(
  source: string,
  { agents, services, more = {} }: { agents?: AgentsGrant | undefined; services?: AgentServices; more?: Sources },
) {
  const capabilities = { commands: ["go"], ...(agents ? { agents } : {}) };
  const session = await startSession(
    { maker: { source, grant: { capabilities } }, ...more },
    services ? { agent: services } : {},
  );
  onTestFinished(() => session.host.close());
  const go = async (): Promise<unknown> => {
    const { error } = await session.host.offers.runCommand("command", "go", "");
    const last = session.log.filter(({ at }) => at !== undefined).at(-1);
    return error ?? JSON.parse(last?.text ?? "null");
  };
  return { ...session, go };
}
