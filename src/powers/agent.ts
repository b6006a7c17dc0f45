import { AGENT_ACTS, AGENT_READS, type AgentAct, type AgentRead } from "../../sandbox/wire/choices.ts";
import { cleanLine } from "../base/text.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

const agentGrant = Type.Array(Type.Enum([...AGENT_READS, ...AGENT_ACTS]), {
  description: "What it may read of the agent, and what it may make the agent do.",
});
type Grant = (AgentRead | AgentAct)[];

export const agentPower: Power<typeof agentGrant> = { schema: agentGrant, ...names<Grant[number]>() };

/** Longest name or label. */
const MAX_LINE = 200;

/** Longest part of what is asked for in a message. */
const MAX_SHOWN = 100;

const covers = <Asked extends { name: AgentRead | AgentAct }>(
  asked: Asked,
  grant: Grant | undefined,
): Asked | undefined => (grant?.includes(asked.name) ? asked : undefined);

const read: Capability<"agent.read", Grant, { name: AgentRead }> = {
  read: ([name]) => ({ name }),
  check: covers,
  async perform({ checked: { name } }, { session: { agent } }) {
    const answer = agent?.read?.[name];
    if (!answer) throw lacking(name);
    return answer.call(agent?.read);
  },
  describe: ({ name }) => name,
  propose: ({ name }) => [name],
  perMinute: () => 600,
};

/** What comes with each event, too. */
const state: Capability<"agent.state", Grant, object> = {
  read: () => ({}),
  check: (asked) => asked,
  perform: async (_permit, { session: { agent } }) => agent?.state?.() ?? null,
  describe: () => "the state of the agent",
  perMinute: () => 1200,
};

const act: Capability<"agent.act", Grant, { name: AgentAct; args: readonly unknown[] }> = {
  read: ([name, args]) => ({ name, args }),
  check: covers,
  async perform({ checked: { name, args } }, { hook, session: { agent } }) {
    const done = agent?.act?.[name];
    if (!done) throw lacking(name);
    return (
      (await done.call(agent?.act, SHOWN.has(name) ? args.map(cleaned) : toPlain(args), { hook: hook.id })) ?? null
    );
  },
  describe: ({ name, args }) => [name, ...args.map(shown)].join(" "),
  propose: ({ name }) => [name],
  waits: "program",
  perMinute: () => 60,
};

/** Acts whose texts the agent shows to the person, in one line. */
const SHOWN: ReadonlySet<AgentAct> = new Set(["setSessionName", "setLabel"]);
const cleaned = (argument: unknown): unknown =>
  typeof argument === "string" ? cleanLine(argument, MAX_LINE) : toPlain(argument);

/** An argument, so that a person sees what is to be done. */
const shown = (argument: unknown): string => {
  const text = typeof argument === "string" ? argument : (JSON.stringify(argument) ?? "");
  return quoted(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
};

export const lacking = (name: string): Error => new Error(`this agent does not offer ${name}`);

export const agent = { ...sealed("agent.read", read), ...sealed("agent.state", state), ...sealed("agent.act", act) };
