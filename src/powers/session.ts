import Type from "typebox";
import { readableFields } from "../supervisor/prepared-event.ts";
import { list } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const sessionGrant = Type.Array(Type.Enum(["entries", "messages"]));
type Grant = ("entries" | "messages")[];
type Request = { field: string };

/** Entries hold the messages, too. */
export const sessionPower: Power<typeof sessionGrant> = {
  schema: sessionGrant,
  ...list<Grant[number]>({ covers: (wide, narrow) => wide === "entries" || wide === narrow }),
};

/** Leave to read one field of an event. */
class FieldPermit {
  readonly field: string;

  private constructor(field: string) {
    this.field = field;
  }

  static check({ field }: Request, grant: Grant | undefined): FieldPermit | undefined {
    return readableFields(grant ?? []).includes(field) ? new FieldPermit(field) : undefined;
  }
}

/** Reads a withheld part of the event that the hook is handling. Called synchronously, when the field is first read. */
const read: Capability<Grant, Request, FieldPermit, "session.read"> = {
  capability: "session",
  read: ([field]) => ({ field }),
  check: FieldPermit.check,
  async perform({ field }, { event }) {
    if (!event?.withheld.has(field))
      throw new Error(`event.${field} is gone: it can be read while the event is handled`);
    return event.withheld.get(field);
  },
  describe: ({ field }) => field,
  propose: () => ["entries"],
  waits: false,
  perMinute: () => 6000,
};

export const session = { "session.read": sealed(read) };
