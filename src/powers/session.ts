import type { SessionPage } from "../../sandbox/wire/answers.ts";
import { SESSION_TEXTS, type SessionRead } from "../../sandbox/wire/choices.ts";
import Type from "../base/type.ts";
import { readableFields } from "../supervisor/prepared-event.ts";
import { lacking } from "./agent.ts";
import { list } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const sessionGrant = Type.Array(Type.Enum(["entries", "messages"]), {
  description: "What it reads of the session: its messages, or its entries, which hold the messages too.",
});
type Grant = ("entries" | "messages")[];

/** Entries hold the messages, too. */
export const sessionPower: Power<typeof sessionGrant> = {
  schema: sessionGrant,
  ...list<Grant[number]>({ covers: (wide, narrow) => wide === "entries" || wide === narrow }),
};

/** Reads a withheld part of the event that the hook is handling. Called synchronously, when the field is first read. */
const read: Capability<"session.read", Grant, string> = {
  read: ([field]) => field,
  check: (field, grant) => (readableFields(grant ?? []).includes(field) ? field : undefined),
  async perform({ checked: field }, { event }) {
    if (!event?.withheld.has(field))
      throw new Error(`event.${field} is gone: it can be read while the event is handled`);
    return event.withheld.get(field);
  },
  describe: (field) => field,
  propose: (field) => [readableFields(["messages"]).includes(field) ? "messages" : "entries"],
  perMinute: () => 6000,
};

type Query = { name: SessionRead; argument: string | undefined; from: number };

const holdsTexts = (name: SessionRead): boolean => SESSION_TEXTS.some((text) => text === name);

/**
 * Characters of JSON in one answer, unless one item has more. A session of 50 MB is read in parts, as far as the hook reads,
 * and each part takes the agent a few ms at the most.
 */
const PART = 250_000;

/** Reads the agent's session. A list is answered in parts, from the index `from` on. */
const query: Capability<"session.query", Grant, Query> = {
  read: ([name, [argument], from]) => ({ name, argument, from }),
  check: (query, grant = []) =>
    grant.includes("entries") || (!holdsTexts(query.name) && grant.includes("messages")) ? query : undefined,
  async perform({ checked: { name, argument, from } }, { session: { agent } }) {
    const answer = agent?.session?.[name];
    if (!answer) throw lacking(`ctx.sessionManager for ${name}`);
    const value = await answer.call(agent?.session, argument, from);
    return Array.isArray(value) ? partOf(value, from) : { value: value ?? null };
  },
  describe: ({ name }) => name,
  propose: ({ name }) => [holdsTexts(name) ? "entries" : "messages"],
  perMinute: () => 6000,
};

function partOf(list: readonly unknown[], from: number): SessionPage {
  const items: unknown[] = [];
  let size = 0;
  let at = from;
  for (; at < list.length && (size < PART || items.length === 0); at++) {
    items.push(list[at]);
    size += JSON.stringify(list[at]).length;
  }
  return { items, next: at < list.length ? at : null };
}

export const session = { ...sealed("session.read", read), ...sealed("session.query", query) };
