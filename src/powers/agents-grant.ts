import type { Static } from "typebox";
import { MAX_TOOL_NAME } from "../../sandbox/wire/messages.ts";
import Type from "../base/type.ts";
import { list, names } from "./algebra.ts";
import type { Power } from "./power.ts";

const agentsGrant = Type.Array(
  Type.Object(
    {
      tools: Type.Array(Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }), {
        description: "The agent's tools that it may use, by name. Tools of the hook's own need no name here.",
      }),
      models: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
          description: "Providers whose models it may have, besides the session's model.",
        }),
      ),
      atOnce: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, description: "Most agents at once. Default: 4." })),
      timeoutMs: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 14_400_000,
          description: "Most waking time of one prompt, in ms. Default: 1800000.",
        }),
      ),
      perMinute: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 600, description: "Most prompts in a minute. Default: 20." }),
      ),
    },
    { additionalProperties: false },
  ),
  { description: "Agents of its own, which spend your tokens. Each entry is one kind." },
);
export type AgentsGrant = Static<typeof agentsGrant>;
export type AgentsEntry = AgentsGrant[number];

/** Numbers of an entry, and what they are where it says nothing. */
const BOUNDS = { atOnce: 4, timeoutMs: 1_800_000, perMinute: 20 } as const;
type Bound = keyof typeof BOUNDS;
const bounds = Object.keys(BOUNDS) as Bound[];
export const boundOf = (entry: AgentsEntry, bound: Bound): number => entry[bound] ?? BOUNDS[bound];

const named = names<string>();

/** Agents of a hook's own: with which of the agent's tools, whose models, how many and for how long. */
export const agentsPower: Power<typeof agentsGrant> = {
  schema: agentsGrant,
  ...list<AgentsEntry>({ covers, meet }),
};

function covers(wide: AgentsEntry, narrow: AgentsEntry): boolean {
  return (
    named.covers(wide.tools, narrow.tools) &&
    named.covers(wide.models, narrow.models) &&
    bounds.every((bound) => boundOf(narrow, bound) <= boundOf(wide, bound))
  );
}

function meet(one: AgentsEntry, other: AgentsEntry): AgentsEntry {
  const models = named.meet(one.models, other.models);
  const common: AgentsEntry = { tools: named.meet(one.tools, other.tools) ?? [], ...(models ? { models } : {}) };
  for (const bound of bounds) {
    const lower = Math.min(boundOf(one, bound), boundOf(other, bound));
    if (lower !== BOUNDS[bound]) common[bound] = lower;
  }
  return common;
}
