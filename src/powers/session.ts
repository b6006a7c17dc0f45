import type { SessionPage } from "../../sandbox/wire/answers.ts";
import { SESSION_TEXTS, type SessionRead } from "../../sandbox/wire/choices.ts";
import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { LargeValue } from "../base/large-value.ts";
import Type from "../base/type.ts";
import { type PreparedEvent, readableFields } from "../supervisor/prepared-event.ts";
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

/** The JSON of what was read of an event, or why it has none. A hook may read it again and again, and a session may have 50 MB. */
const written = new WeakMap<PreparedEvent, Map<string, LargeValue | Error>>();

function writtenOf(event: PreparedEvent, field: string): LargeValue {
  const known = written.get(event) ?? new Map<string, LargeValue | Error>();
  written.set(event, known);
  const found = known.get(field) ?? attempt(() => inFrame(event.withheld.get(field), field));
  known.set(field, found);
  if (found instanceof Error) throw found;
  return found;
}

/** A list is written down one by one, and no further than what fits a frame. */
function inFrame(value: unknown, field: string): LargeValue {
  const parts: Buffer[] = [];
  let bytes = 0;
  let text = Array.isArray(value) ? "[" : (JSON.stringify(value) ?? "null");
  const take = (): void => {
    const part = Buffer.from(text);
    text = "";
    bytes += part.length;
    if (bytes > MAX_FRAME_BYTES)
      throw new CordonError("BAD_RESULT", `event.${field} is over the limit of ${MAX_FRAME_BYTES} bytes`);
    parts.push(part);
  };
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      text += `${at > 0 ? "," : ""}${JSON.stringify(item) ?? "null"}`;
      if (text.length > PART) take();
    }
    text += "]";
  }
  take();
  return new LargeValue(parts);
}

/** Reads a withheld part of the event that the hook is handling. Called synchronously, when the field is first read. */
const read: Capability<"session.read", Grant, string> = {
  read: ([field]) => field,
  check: (field, grant) => (readableFields(grant ?? []).includes(field) ? field : undefined),
  async perform({ checked: field }, { event }) {
    if (!event?.withheld.has(field))
      throw new Error(`event.${field} is gone: it can be read while the event is handled`);
    return writtenOf(event, field);
  },
  describe: (field) => field,
  propose: (field) => [readableFields(["messages"]).includes(field) ? "messages" : "entries"],
  perMinute: () => 6000,
};

/** What it returns, or the error that it throws. */
function attempt<T>(act: () => T): T | Error {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

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
