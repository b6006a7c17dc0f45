import Type, { type Static } from "typebox";
import { type ExtensionRight, extensionEvent } from "../../sandbox/wire/events.ts";
import { type Algebra, flag, list, namesOrAll, record } from "./algebra.ts";
import type { Power } from "./power.ts";

const tools = Type.Array(Type.String({ minLength: 1, maxLength: 128 }));

/** What a hook hears and may decide. Not asked for by a call: the host checks each result against it. */
const eventsGrant = Type.Object(
  {
    see: Type.Array(Type.String({ minLength: 1, maxLength: 64 })),
    block: Type.Optional(Type.Boolean()),
    cancel: Type.Optional(Type.Boolean()),
    compact: Type.Optional(Type.Boolean()),
    guardResult: Type.Optional(tools),
    rewriteInput: Type.Optional(tools),
    rewriteResult: Type.Optional(tools),
    rewriteMessage: Type.Optional(Type.Boolean()),
    rewriteParams: Type.Optional(Type.Boolean()),
    trustProject: Type.Optional(Type.Boolean()),
    rewritePrompt: Type.Optional(Type.Boolean()),
    rewriteContext: Type.Optional(Type.Boolean()),
    rewriteUserInput: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type EventsGrant = Static<typeof eventsGrant>;

/** Types of events. `*` stands for those of pi's hooks: the events of extensions are named one by one. */
const types: Algebra<string[]> = list({
  covers: (wide, narrow) => wide === narrow || (wide === "*" && extensionEvent(narrow) === undefined),
});

/** Events of this type may be heard. */
export const sees = (grant: EventsGrant | undefined, type: string): boolean => types.covers(grant?.see, [type]);

/** Tool calls may be blocked: left out, that is so wherever they are heard. */
export const mayBlock = (grant: EventsGrant | undefined): boolean => grant?.block ?? sees(grant, "tool_call");

/** A right that is not about one tool. */
export type EventRight = "cancel" | "compact" | "rewriteMessage" | "rewriteParams" | ExtensionRight;

/** One of these may be kept or changed. */
export const may = (grant: EventsGrant | undefined, right: EventRight): boolean => grant?.[right] === true;

/** The same of one tool. */
export const mayFor = (
  grant: EventsGrant | undefined,
  right: "guardResult" | "rewriteInput" | "rewriteResult",
  tool: string,
): boolean => namesOrAll.covers(grant?.[right], [tool]);

/** What makes a hook a guard. A file that an agent can change or delete must not take that away. */
export const guarding = (grant: EventsGrant): EventsGrant => ({
  see: grant.see,
  ...(grant.block === undefined ? {} : { block: grant.block }),
  ...(grant.guardResult ? { guardResult: grant.guardResult } : {}),
});

const parts = record<EventsGrant>({
  see: types,
  block: flag,
  cancel: flag,
  compact: flag,
  guardResult: namesOrAll,
  rewriteInput: namesOrAll,
  rewriteResult: namesOrAll,
  rewriteMessage: flag,
  rewriteParams: flag,
  trustProject: flag,
  rewritePrompt: flag,
  rewriteContext: flag,
  rewriteUserInput: flag,
});

/** With `block` said, and no right that is `false`. */
function whole(grant: EventsGrant | undefined): EventsGrant | undefined {
  return grant && { ...grant, block: mayBlock(grant) };
}

/** `block` is said where it would otherwise be another than it is. */
function said(grant: EventsGrant | undefined): EventsGrant | undefined {
  if (grant === undefined || grant.block === true || !sees(grant, "tool_call")) return grant;
  return { ...grant, block: false };
}

const through =
  (operation: "union" | "minus" | "meet"): Algebra<EventsGrant>[typeof operation] =>
  (one, other) =>
    said(parts[operation](whole(one), whole(other)));

export const eventsPower: Power<typeof eventsGrant> = {
  schema: eventsGrant,
  covers: (wide, narrow) => parts.covers(whole(wide), whole(narrow)),
  union: through("union"),
  minus: through("minus"),
  meet: through("meet"),
};
