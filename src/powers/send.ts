import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import { cleanLine, cleanText, cut, isPlain } from "../base/text.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { lacking } from "./agent.ts";
import { scale } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { CustomMessage, SendOptions, UserMessageOptions } from "./lent-session.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

const sendGrant = Type.Object(
  {
    perMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 600, description: "Most messages in a minute. Default: 6." }),
    ),
  },
  { additionalProperties: false, description: "It may send messages into the session, which the model reads." },
);
type Grant = { perMinute?: number };
type Message = { text: string; attachments?: readonly unknown[] };

/** Longest message a hook can put into a session. */
const MAX_MESSAGE = 20_000;
/** Characters of all texts in its attachments together that may have to be cleaned, which takes long. An image is a plain text. */
const MAX_CLEANED = 100_000;
const DEFAULT_PER_MINUTE = 6;
const rateOf = (grant: Grant): number => grant.perMinute ?? DEFAULT_PER_MINUTE;

export const sendPower: Power<typeof sendGrant> = {
  schema: sendGrant,
  ...scale<Grant>((narrow, wide) => rateOf(narrow) <= rateOf(wide)),
};

/** Attachments with plain objects, and their texts made fit to be shown. They are cut visibly if they are too long together. */
function cleaned(attachments: readonly unknown[]): unknown[] {
  let left = MAX_CLEANED;
  const text = (given: string): string => {
    if (isPlain(given)) return given;
    const part = cut(given, left);
    left -= part.length;
    return `${cleanText(part, part.length)}${part.length < given.length ? "…" : ""}`;
  };
  const value = (given: unknown): unknown => {
    if (typeof given === "string") return text(given);
    if (typeof given !== "object" || given === null) return given;
    if (Array.isArray(given)) return given.map(value);
    return Object.fromEntries(Object.entries(given).map(([name, member]) => [name, value(member)]));
  };
  return toPlain(attachments).map(value);
}

const limits = {
  check: <Asked>(asked: Asked, grant: Grant | undefined): Asked | undefined => grant && asked,
  propose: () => ({ perMinute: DEFAULT_PER_MINUTE }),
  perMinute: (grant: Grant | undefined) => rateOf(grant ?? {}),
  // A message is one in whichever way it is sent.
  counts: (_asked: unknown, grant: Grant | undefined) => ({ as: "messages", perMinute: rateOf(grant ?? {}) }),
};

/** The model reads this: it is told whose words they are. */
const originOf = (hook: { name: string }): string => `Message from hook ${hook.name} (not from the user):`;

const message: Capability<"send", Grant, Message> = {
  ...limits,
  read: ([text, attachments]) => ({ text, attachments }),
  async perform({ checked: { text, attachments } }, { hook, session }) {
    const clean = cleanText(text, MAX_MESSAGE);
    session.send?.(`${originOf(hook)} ${clean}`, attachments && cleaned(attachments), { hook: hook.id, text: clean });
    return null;
  },
  describe: () => "a message into the session",
};

type UserMessage = { text: string; options: UserMessageOptions };

/** What an extension says in the person's place. It begins with the hook's name: an agent takes no command from it. */
const user: Capability<"send.user", Grant, UserMessage> = {
  ...limits,
  read: ([text, options]) => ({ text, options }),
  async perform({ checked: { text, options } }, { hook, session }) {
    const clean = cleanText(text, MAX_MESSAGE);
    session.send?.(`${originOf(hook)} ${clean}`, undefined, { hook: hook.id, text: clean, ...options });
    return null;
  },
  describe: () => "a message into the session",
};

type Custom = { message: CustomMessage; options: SendOptions };

/** A custom message of an extension's. */
const custom: Capability<"send.message", Grant, Custom> = {
  ...limits,
  read: ([message, options]) => ({ message, options }),
  async perform({ checked: { message, options } }, { hook, session: { agent } }) {
    if (!agent?.sendMessage) throw lacking("pi.sendMessage");
    const { content } = message;
    // Agents leave a message without text out of what the model reads: with a frame it would have some.
    const framed =
      typeof content === "string"
        ? content && `${originOf(hook)} ${cleanText(content, MAX_MESSAGE)}`
        : [{ type: "text", text: originOf(hook) }, ...cleaned(Array.isArray(content) ? content : [content])];
    const customType = cleanLine(message.customType, MAX_NAME);
    agent.sendMessage({ ...toPlain(message), customType, content: framed }, { ...options }, { hook: hook.id });
    return null;
  },
  describe: ({ message: { customType } }) => `a message into the session: ${quoted(customType)}`,
};

export const send = {
  ...sealed("send", message),
  ...sealed("send.user", user),
  ...sealed("send.message", custom),
};
