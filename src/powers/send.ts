import Type from "typebox";
import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { cleanText } from "../base/text.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { scale } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const sendGrant = Type.Object(
  { perMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })) },
  { additionalProperties: false },
);
type Grant = { perMinute?: number };
type Message = { text: string; attachments?: readonly unknown[] };

/** Longest message a hook can put into a session. */
const MAX_MESSAGE = 20_000;
const DEFAULT_PER_MINUTE = 6;
const rateOf = (grant: Grant): number => grant.perMinute ?? DEFAULT_PER_MINUTE;

export const sendPower: Power<typeof sendGrant> = {
  schema: sendGrant,
  ...scale<Grant>((narrow, wide) => rateOf(narrow) <= rateOf(wide)),
};

/** Attachments with plain objects, and their texts made fit to be shown. */
const cleaned = (attachments: readonly unknown[]): unknown[] =>
  JSON.parse(JSON.stringify(toPlain(attachments)), (_name, value) =>
    typeof value === "string" ? cleanText(value, MAX_FRAME_BYTES) : value,
  );

const message: Capability<"send", Grant, Message> = {
  read: ([text, attachments]) => ({ text, attachments }),
  check: (asked, grant) => grant && asked,
  async perform({ checked: { text, attachments } }, { hook, session }) {
    const clean = cleanText(text, MAX_MESSAGE);
    // The model reads this: it is told whose words they are.
    const said = `Message from hook ${hook.name} (not from the user): ${clean}`;
    session.send?.(said, attachments && cleaned(attachments), { hook: hook.id, text: clean });
    return null;
  },
  describe: () => "a message into the session",
  propose: () => ({ perMinute: DEFAULT_PER_MINUTE }),
  perMinute: (grant) => rateOf(grant ?? {}),
};

export const send = sealed("send", message);
