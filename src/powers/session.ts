import Type from "typebox";
import { readableFields } from "../supervisor/prepared-event.ts";
import { list } from "./algebra.ts";
import { type Capability, letThrough } from "./capability.ts";
import type { Power } from "./power.ts";

export const sessionGrant = Type.Array(Type.Enum(["entries", "messages"]));
type Grant = ("entries" | "messages")[];
type Request = { field: string };

/** Entries hold the messages, too. */
export const sessionPower: Power<Grant> = {
  schema: sessionGrant,
  fault: () => undefined,
  ...list<Grant[number]>({ covers: (wide, narrow) => wide === "entries" || wide === narrow }),
};

/** Reads a withheld part of the event that the hook is handling. Called synchronously, when the field is first read. */
const read: Capability<Grant, Request> = {
  capability: "session",
  request: Type.Tuple([Type.String({ maxLength: 64 })]),
  read: ([field]) => ({ field: field as string }),
  check: (asked, grant) => (readableFields(grant ?? []).includes(asked.field) ? letThrough(asked) : undefined),
  async perform({ field }, { event }) {
    if (!event?.withheld.has(field))
      throw new Error(`event.${field} is gone: it can be read while the event is handled`);
    return event.withheld.get(field);
  },
  describe: ({ field }) => field,
  propose: () => ["entries"],
  sync: "only",
  waits: false,
  perMinute: () => 6000,
};

export const session = { "session.read": read };
