import Type from "typebox";
import { readableFields } from "../supervisor/prepared-event.ts";
import { list } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const sessionGrant = Type.Array(Type.Enum(["entries", "messages"]));
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
  propose: () => ["entries"],
  perMinute: () => 6000,
};

export const session = sealed("session.read", read);
