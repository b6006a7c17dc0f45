import type { TProperties, TSchema } from "typebox";
import {
  type CallHead,
  DIALECTS,
  type FromGuest,
  type GuestError,
  MAX_BRANCHES,
  MAX_CALL_MEMBERS,
  MAX_EVENT_TYPES,
  MAX_HANDLERS,
  MAX_MEMBERS,
  MAX_NAME,
  MAX_TOOL_NAME,
  MAX_UNSUPPORTED,
  MAX_UNSUPPORTED_NAME,
  mostMembers,
  type PriorityAnswer,
  type SyncRequest,
  type Verdict,
} from "../../sandbox/wire/messages.ts";
import {
  MARKDOWN_PLACES,
  MAX_DESCRIPTION,
  REGISTERED_NAME,
  REGISTRATION_KINDS,
} from "../../sandbox/wire/registrations.ts";
import { MAX_TRIGGERS, SCREEN_CHANGES } from "../../sandbox/wire/screens.ts";
import { attemptOr } from "../base/attempt.ts";
import { compile, exactly } from "../base/schema.ts";
import Type from "../base/type.ts";
import { PASSES } from "./outcome.ts";
import type { PreparedEvent } from "./prepared-event.ts";
import { parseUntrusted } from "./untrusted-json.ts";

const text = (maxLength: number) => Type.String({ maxLength });
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Longest error texts that the guest half sends, with room for characters that count twice. */
const GuestErrorShape = exactly({
  message: text(8000),
  stack: Type.Optional(text(16000)),
  code: Type.Optional(text(64)),
});
const Events = Type.Record(
  Type.String({ pattern: `^[\\s\\S]{0,${MAX_NAME}}$` }),
  Type.Integer({ minimum: 0, maximum: MAX_HANDLERS }),
  { maxProperties: MAX_EVENT_TYPES, additionalProperties: false },
);
const Raw = exactly({ type: Type.Literal("RAW"), value: Type.Optional(Type.Unknown()) });
const Apply = exactly({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  type: Type.Literal("APPLY"),
  path: Type.Array(text(64), { minItems: 1, maxItems: 1 }),
  argumentList: Type.Array(Raw, { minItems: 1, maxItems: 9 }),
});

const Description = exactly({
  label: Type.Optional(text(MAX_DESCRIPTION)),
  description: Type.Optional(text(MAX_DESCRIPTION)),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  promptSnippet: Type.Optional(text(MAX_DESCRIPTION)),
  promptGuidelines: Type.Optional(Type.Array(text(MAX_DESCRIPTION), { maxItems: 100 })),
  executionMode: Type.Optional(Type.Enum(["sequential", "parallel"])),
  type: Type.Optional(Type.Enum(["boolean", "string"])),
  default: Type.Optional(Type.Union([Type.Boolean(), text(MAX_DESCRIPTION)])),
  completes: Type.Optional(Type.Boolean()),
  draws: Type.Optional(Type.Array(Type.Enum(["call", "result"]), { maxItems: 2 })),
  places: Type.Optional(Type.Array(Type.Enum([...MARKDOWN_PLACES]), { maxItems: MARKDOWN_PLACES.length })),
  triggers: Type.Optional(Type.Array(text(2), { maxItems: MAX_TRIGGERS })),
});

const message = (t: FromGuest["t"], members: TProperties) => exactly({ t: Type.Literal(t), ...members });
const Message = Type.Union([
  message("call", { apply: Apply }),
  message("abort", { call: count }),
  message("loaded", {
    events: Events,
    dialect: Type.Optional(Type.Enum([...DIALECTS])),
    hasMatchers: Type.Optional(Type.Boolean()),
    unsupported: Type.Optional(Type.Array(text(MAX_UNSUPPORTED_NAME), { maxItems: MAX_UNSUPPORTED })),
  }),
  message("failed", { error: GuestErrorShape }),
  message("events", { events: Events }),
  message("log", {
    level: Type.Enum(["debug", "info", "warn", "error"]),
    text: text(16000),
    at: Type.Optional(text(1000)),
  }),
  message("error", { error: GuestErrorShape }),
  message("reached", { branch: Type.Integer({ minimum: 0, maximum: MAX_BRANCHES - 1 }) }),
  message("registered", {
    kind: Type.Enum([...REGISTRATION_KINDS]),
    name: Type.String({ pattern: REGISTERED_NAME, maxLength: MAX_TOOL_NAME }),
    description: Type.Union([Type.Null(), Description]),
  }),
  message("screen", { screen: count, change: Type.Enum([...SCREEN_CHANGES]) }),
]);
const Call = exactly({ call: count, dispatch: count });
const decided = {
  result: Type.Optional(Type.Unknown()),
  input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  tool: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME })),
  approved: Type.Optional(Type.Literal(true)),
};
/** A result must have at least one member. */
const Result = exactly(decided, { minProperties: 1 });
const Failed = exactly({ ...decided, errors: Type.Array(GuestErrorShape, { minItems: 1, maxItems: 100 }) });
const Sync = exactly({ op: text(64), dispatch: count, args: Type.Array(Type.Unknown(), { maxItems: 8 }) });
const Priority = exactly({ priority: Type.Optional(Type.Number()), error: Type.Optional(GuestErrorShape) });

/** Makes a parser for untrusted text. It throws for text of another shape; the process that sent it is then killed. */
function reader<T>(schema: TSchema, usual?: number): (text: string, most?: number) => T {
  const check = compile(schema);
  return (source, most = usual) => {
    const value = parseUntrusted(source, most);
    if (!check.Check(value)) throw new Error("a frame of the wrong shape");
    return value as T;
  };
}

const head = compile(Call);

export const readMessage = reader<FromGuest>(Message, MAX_CALL_MEMBERS);
const readResult = reader<Verdict>(Result);
const readFailed = reader<Verdict>(Failed);

/** No shorter verdict has more members than any may have. */
const SHORT = 2 * MAX_CALL_MEMBERS;

/** Reads a verdict by its {@link VerdictKind}. Throws for text that contradicts its kind, so that nothing passes by default. */
export function readVerdict(kind: string | undefined, source: string, event?: PreparedEvent): Verdict {
  if (kind === "p" && source === "") return PASSES;
  const most = source.length > SHORT && event ? mostOf(event) : undefined;
  if (kind === "r") return readResult(source, most);
  if (kind === "f") return readFailed(source, most);
  throw new Error("a verdict that says nothing");
}

/** What was counted of an event, which several hooks answer. */
const counted = new WeakMap<PreparedEvent, number>();

/** The host counts more of what may have been given than a guest does, which must not die of a difference. */
function mostOf(event: PreparedEvent): number {
  const known = counted.get(event);
  if (known !== undefined) return known;
  let most = MAX_CALL_MEMBERS + mostMembers(event.type, [event.text]);
  // A session may have a hundred MB: it is written down in parts, and only until there are enough.
  for (const part of partsOf(event.withheld.values())) {
    if (most >= MAX_MEMBERS) break;
    most += mostMembers(event.type, [attemptOr(() => JSON.stringify(part), undefined) ?? ""]) - MAX_CALL_MEMBERS;
  }
  counted.set(event, Math.min(MAX_MEMBERS, most));
  return Math.min(MAX_MEMBERS, most);
}
function* partsOf(values: Iterable<unknown>): Iterable<unknown> {
  for (const value of values) {
    if (Array.isArray(value)) yield* value;
    else yield value;
  }
}

export const readThrown = reader<GuestError>(GuestErrorShape);
export const readPriority = reader<PriorityAnswer>(Priority, MAX_CALL_MEMBERS);
export const readSync = reader<SyncRequest>(Sync, MAX_CALL_MEMBERS);
export const isCallHead = (value: unknown): value is CallHead => head.Check(value);
