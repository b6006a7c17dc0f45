import type { AgentHappened } from "../../sandbox/wire/answers.ts";
import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";
import { counted } from "../base/counted.ts";
import { CordonError } from "../base/errors.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { lacking } from "./agent.ts";
import { agentMessage } from "./agent-message.ts";
import { type AgentsEntry, type AgentsGrant, agentsPower, boundOf } from "./agents-grant.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import type { AgentSetup, ModelName } from "./lent-agents.ts";
import type { OwnAgent } from "./own-agents.ts";
import { quoted } from "./quoted.ts";
import { OWN_TOOLS } from "./tools.ts";

const MADE_PER_MINUTE = 20;
const OTHERS_PER_MINUTE = 6000;
/** Most characters of a conversation in one answer, unless one message has more. */
const PART = 250_000;

const agentOf = (number: number, { hook, session }: Circumstances): OwnAgent => session.agents.of(hook.id, number);

const isSame = (one: unknown, other: ModelName): boolean => {
  const { provider, id } = Object(one) as Partial<ModelName>;
  return provider === other.provider && id === other.id;
};

/** The providers that a model needs a grant of: none for the model of the session. */
const providersOf = (model: ModelName | undefined, { session }: Circumstances): string[] =>
  model === undefined || isSame(session.agent?.state?.().model, model) ? [] : [model.provider];

/** The entries that allow these tools and this model. */
const allowing = (
  grant: AgentsGrant | undefined,
  tools: readonly string[],
  model: ModelName | undefined,
  circumstances: Circumstances,
): AgentsGrant => {
  const models = providersOf(model, circumstances);
  const asked = { tools: [...tools], ...(models.length > 0 ? { models } : {}), atOnce: 1, timeoutMs: 1, perMinute: 1 };
  return (grant ?? []).filter((entry) => agentsPower.covers([entry], [asked]));
};

/** The tools that a grant must name: those of the agent's, and the hook's own that would take the place of one. */
const toolsIn = ({ tools, own }: AgentSetup): string[] => [
  ...tools,
  ...own.flatMap(({ name }) => (OWN_TOOLS.has(name) ? [name] : [])),
];

/** What an agent uses together, which one entry has to allow: its tools, and its model, which may have changed since it was made. */
const usedBy = (own: OwnAgent, chosen?: ModelName) => ({
  tools: [...new Set(toolsIn(own.setup))].sort(),
  model: chosen ?? own.model,
});

const largest = (entries: readonly AgentsEntry[], bound: Parameters<typeof boundOf>[1]): number =>
  Math.max(0, ...entries.map((entry) => boundOf(entry, bound)));

const create: Capability<"agents.create", AgentsGrant, AgentSetup, { setup: AgentSetup; atOnce: number }> = {
  read: ([setup]) => toPlain(setup),
  check(setup, grant, circumstances) {
    const entries = allowing(grant, toolsIn(setup), setup.model, circumstances);
    return entries.length > 0 ? { setup, atOnce: largest(entries, "atOnce") } : undefined;
  },
  async perform({ checked: { setup, atOnce } }, { hook, session, last }) {
    const make = session.agent?.agents;
    if (!make) throw lacking("agents of a hook's own (createAgentSession)");
    if (session.agents.count(hook.id) >= atOnce)
      throw new CordonError("RATE_LIMITED", `hook ${hook.name} may have ${atOnce} agents of its own at once`);
    const agent = session.agents.begin(hook.id, setup);
    last(() => agent.end("its hook is gone, or may have it no more"), agent.over);
    try {
      return agent.made(await make(setup, agent.watch(hook.id, session.agents.gates)));
    } catch (error) {
      agent.end("it could not be made");
      throw error;
    }
  },
  describe: ({ tools, own, model }) =>
    [
      tools.length > 0 ? `an agent with ${tools.map(quoted).join(", ")}` : "an agent without your agent's tools",
      ...(own.length > 0 ? [`and ${counted(own.length, "tool")} of its own`] : []),
      ...(model ? [`of ${quoted(model.provider)} ${quoted(model.id)}`] : []),
    ].join(" "),
  propose(setup, circumstances) {
    const models = providersOf(setup.model, circumstances);
    return [{ tools: [...new Set(toolsIn(setup))].sort(), ...(models.length > 0 ? { models } : {}) }];
  },
  perMinute: () => MADE_PER_MINUTE,
};

/** What is done with an agent that the hook has: its grant was looked at when it was made, and ends it when it is taken. */
const ofAgent = {
  check: <Asked>(asked: Asked, grant: AgentsGrant | undefined): Asked | undefined => grant && asked,
  perMinute: () => OTHERS_PER_MINUTE,
};

interface Part {
  agent: number;
  where: "state" | "session";
  messages: readonly unknown[];
  isFirst: boolean;
}

const messages: Capability<"agents.messages", AgentsGrant, Part> = {
  ...ofAgent,
  read: ([agent, where, messages, isFirst]) => ({ agent, where, messages, isFirst }),
  async perform({ checked: { agent, where, messages, isFirst } }, circumstances) {
    agentOf(agent, circumstances).take(where, messages.map(agentMessage), isFirst);
    return null;
  },
  describe: ({ messages }) => `${counted(messages.length, "message")} of a conversation`,
};

const conversation: Capability<"agents.conversation", AgentsGrant, { agent: number; from: number }> = {
  ...ofAgent,
  read: ([agent, from]) => ({ agent, from }),
  async perform({ checked: { agent, from } }, circumstances) {
    const { messages } = agentOf(agent, circumstances);
    const items: unknown[] = [];
    let size = 0;
    let at = from;
    for (; at < messages.length && (size < PART || items.length === 0); at++) {
      items.push(messages[at]);
      size += JSON.stringify(messages[at]).length;
    }
    return { items, next: at < messages.length ? at : null };
  },
  describe: () => "the conversation of an agent of its own",
};

type Change = { agent: number; change: ArgumentsOf<"agents.change">[1] };

const change: Capability<"agents.change", AgentsGrant, Change> = {
  read: ([agent, change]) => ({ agent, change: toPlain(change) }),
  check(asked, grant, circumstances) {
    const { tools, model } = usedBy(agentOf(asked.agent, circumstances), asked.change.model);
    return allowing(grant, tools, model, circumstances).length > 0 ? asked : undefined;
  },
  async perform({ checked: { agent, change } }, circumstances) {
    const own = agentOf(agent, circumstances);
    await own.change(change);
    return own.facts;
  },
  describe: ({ change }) => `change ${Object.keys(change).join(", ")} of an agent of its own`,
  propose(asked, circumstances) {
    const { tools, model } = usedBy(agentOf(asked.agent, circumstances), asked.change.model);
    const models = providersOf(model, circumstances);
    return [{ tools, ...(models.length > 0 ? { models } : {}) }];
  },
  perMinute: () => 60,
};

type Prompt = { agent: number; text: string; how: ArgumentsOf<"agents.prompt">[2] };

/** Spends the person's money. Goes on when the event is over in which it was asked: an agent may work in the background. */
const prompt: Capability<"agents.prompt", AgentsGrant, Prompt, Prompt & { entries: AgentsGrant }> = {
  read: ([agent, text, how]) => ({ agent, text, how: toPlain(how) }),
  check(asked, grant, circumstances) {
    const { tools, model } = usedBy(agentOf(asked.agent, circumstances));
    const entries = allowing(grant, tools, model, circumstances);
    return entries.length > 0 ? { ...asked, entries } : undefined;
  },
  async perform({ checked: { agent, text, how, entries } }, circumstances) {
    const own = agentOf(agent, circumstances);
    const { deliverAs, images } = how;
    const options = { ...(deliverAs ? { deliverAs } : {}), ...(images ? { images } : {}) };
    await own.prompt(text, options, largest(entries, "timeoutMs"));
    return { count: own.events.count };
  },
  describe: ({ text }) => `a prompt of ${counted(text.length, "character")} for an agent of its own`,
  waits: "program",
  perMinute: (grant) => largest(grant ?? [], "perMinute"),
  counts: ({ entries }) => ({
    as: `prompts ${JSON.stringify(entries.map(({ tools, models }) => [tools, models]))}`,
    perMinute: largest(entries, "perMinute"),
  }),
};

const read: Capability<"agents.read", AgentsGrant, number> = {
  ...ofAgent,
  read: ([agent]) => agent,
  perform: ({ checked: agent }, circumstances): Promise<AgentHappened> =>
    agentOf(agent, circumstances).events.take(circumstances.signal),
  describe: () => "what an agent of its own does",
};

const abort: Capability<"agents.abort", AgentsGrant, number> = {
  ...ofAgent,
  read: ([agent]) => agent,
  async perform({ checked: agent }, circumstances) {
    await agentOf(agent, circumstances).abort();
    return null;
  },
  describe: () => "abort an agent of its own",
  waits: "program",
};

const end: Capability<"agents.end", AgentsGrant, number> = {
  ...ofAgent,
  read: ([agent]) => agent,
  async perform({ checked: agent }, circumstances) {
    agentOf(agent, circumstances).end("its hook ended it");
    return null;
  },
  describe: () => "end an agent of its own",
};

const update: Capability<"agents.update", AgentsGrant, object> = {
  ...ofAgent,
  read: ([partial]) => partial,
  async perform({ checked }, { event }) {
    event?.onUpdate?.(toPlain(checked));
    return null;
  },
  describe: () => "a part of a result",
};

export const agents = {
  ...sealed("agents.create", create),
  ...sealed("agents.messages", messages),
  ...sealed("agents.conversation", conversation),
  ...sealed("agents.change", change),
  ...sealed("agents.prompt", prompt),
  ...sealed("agents.read", read),
  ...sealed("agents.abort", abort),
  ...sealed("agents.end", end),
  ...sealed("agents.update", update),
};
