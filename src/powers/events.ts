import type { Static } from "typebox";
import { type ExtensionRight, extensionEvent } from "../../sandbox/wire/events.ts";
import Type from "../base/type.ts";
import { type Algebra, flag, list, namesOrAll, record } from "./algebra.ts";
import type { Power } from "./power.ts";

const tools = (description: string) => Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { description });
const right = (description: string) => Type.Optional(Type.Boolean({ description }));

/** What a hook hears and may decide. Not asked for by a call: the host checks each result against it. */
const eventsGrant = Type.Object(
  {
    see: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      description: 'Types of events it hears, such as "tool_call". "*": all but those of extensions.',
    }),
    block: right("It may block tool calls. Left out: true where it hears tool_call. false makes an observer."),
    cancel: right("It may cancel what the session is about to do, such as a branch or a switch."),
    compact: right("It may write the summary when the context is compacted."),
    guardResult: Type.Optional(tools("Tools whose result is withheld if the hook fails to check it.")),
    rewriteInput: Type.Optional(tools('Tools whose input it may change. "*": all.')),
    rewriteResult: Type.Optional(tools('Tools whose result it may change. "*": all.')),
    rewriteMessage: right("It may change messages before the model reads them."),
    rewriteParams: right("It may change how the model thinks: its level of thinking or reasoning."),
    trustProject: right("It decides whether a project's own settings and hooks are trusted."),
    rewritePrompt: right("It may change the system prompt and add skills, prompts and themes."),
    rewriteContext: right("It may change what the model is sent."),
    rewriteUserInput: right("It may change or answer what the person typed."),
  },
  {
    additionalProperties: false,
    description: "What it hears and may decide.",
  },
);
export type EventsGrant = Static<typeof eventsGrant>;

/** Types of events. `*` stands for those of pi's hooks: the events of extensions are named one by one. */
const types = list<string>({
  covers: (wide, narrow) => wide === narrow || (wide === "*" && extensionEvent(narrow) === undefined),
});

/** Events of this type may be heard. */
export const sees = (grant: EventsGrant | undefined, type: string): boolean => types.has(grant?.see, type);

/** Tool calls may be blocked: left out, that is so wherever they are heard. */
export const mayBlock = (grant: EventsGrant | undefined): boolean => grant?.block ?? sees(grant, "tool_call");

/** What a grant says of events, worked out once: each tool call asks a dozen times. */
export class EventRights {
  readonly grant: EventsGrant | undefined;
  readonly mayBlock: boolean;
  readonly #seen = new Map<string, boolean>();

  constructor(grant: EventsGrant | undefined) {
    this.grant = grant;
    this.mayBlock = mayBlock(grant);
  }

  /** Events of this type may be heard. */
  sees(type: string): boolean {
    const known = this.#seen.get(type);
    if (known !== undefined) return known;
    const isSeen = sees(this.grant, type);
    this.#seen.set(type, isSeen);
    return isSeen;
  }
}

/** A right that is not about one tool. */
export type EventRight = "cancel" | "compact" | "rewriteMessage" | "rewriteParams" | ExtensionRight;

/** One of these may be kept or changed. */
export const may = (grant: EventsGrant | undefined, right: EventRight): boolean => grant?.[right] === true;

/** The same of one tool. */
export const mayFor = (
  grant: EventsGrant | undefined,
  right: "guardResult" | "rewriteInput" | "rewriteResult",
  tool: string,
): boolean => namesOrAll.has(grant?.[right], tool);

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
