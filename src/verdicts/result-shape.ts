import type { TProperties } from "typebox";
import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import { MAX_ACTS, MAX_EDITED, MAX_LINE, MAX_LINES, MAX_SUGGESTIONS } from "../../sandbox/wire/screens.ts";
import { attemptOr } from "../base/attempt.ts";
import { compile, compiled, exactly, keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";

/** All members of a result are optional. */
const result = (members: TProperties) => Type.Partial(Type.Object(members), { additionalProperties: false });

/** Such as "high". Each agent has its own levels. */
const level = Type.String({ maxLength: MAX_NAME });

/** A session's messages and entries, and a provider's requests, have the agent's own shapes. */
const record = Type.Record(Type.String(), Type.Unknown());
const messages = Type.Array(Type.Object({ role: Type.Optional(Type.String()) }));
const paths = Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 1000 });
const boundary = result({ entries: Type.Array(record), continue: Type.Boolean() });

const Part = Type.Union([
  Type.Object({ type: Type.Literal("text"), text: Type.String() }),
  Type.Object({ type: Type.Literal("image"), data: Type.String(), mimeType: Type.String() }),
]);
const Content = Type.Array(Part);
const isPart = compile(Part);

const completion = Type.Object({ value: Type.String(), label: Type.Optional(Type.String()) });

/** A message of an extension's own, as `pi.sendMessage` takes it. */
const customMessage = exactly({
  customType: Type.String({ maxLength: MAX_NAME }),
  content: Type.Union([Type.String(), Content]),
  display: Type.Optional(Type.Boolean()),
  details: Type.Optional(Type.Unknown()),
});

/** The valid results of a bundle, by event type. The guest half makes no others. */
const RESULTS = compiled({
  tool_call: result({
    block: Type.Boolean(),
    reason: Type.String(),
    // Where the handler was registered that blocks, in the bundle.
    at: Type.String({ pattern: "^\\d{1,9}:\\d{1,9}$" }),
  }),
  tool_result: result({
    // See `isOfTool`.
    content: Type.Array(Type.Unknown()),
    details: Type.Unknown(),
    structuredContent: Type.Unknown(),
    isError: Type.Boolean(),
  }),
  message: result({ text: Type.String(), metadata: Type.Record(Type.String(), Type.Unknown()) }),
  params: result({
    thinkLevel: level,
    reasoningLevel: level,
    temperature: Type.Number({ minimum: 0, maximum: 10 }),
  }),
  session: result({
    cancel: Type.Boolean(),
    skipConversationRestore: Type.Boolean(),
    compactionEntry: Type.Object({}),
    compaction: Type.Object({ summary: Type.String() }),
  }),
  run: result({
    content: Content,
    details: Type.Unknown(),
    isError: Type.Boolean(),
    terminate: Type.Boolean(),
    completions: Type.Array(completion, { maxItems: 1000 }),
    lines: Type.Array(Type.String({ maxLength: MAX_LINE }), { maxItems: MAX_LINES }),
    suggestions: exactly({
      items: Type.Array(Type.Object({ value: Type.String(), label: Type.String() }), { maxItems: MAX_SUGGESTIONS }),
      prefix: Type.String({ maxLength: MAX_LINE }),
    }),
    consume: Type.Boolean(),
    answer: Type.Unknown(),
    data: Type.String({ maxLength: MAX_EDITED }),
    text: Type.String({ maxLength: MAX_EDITED }),
    acts: Type.Array(
      Type.Union([
        exactly({ action: Type.String({ maxLength: MAX_NAME }) }),
        exactly({ submit: Type.String({ maxLength: MAX_EDITED }) }),
      ]),
      { maxItems: MAX_ACTS },
    ),
  }),
  turn_end: boundary,
  agent_before_settle: boundary,
  project_trust: result({ trusted: Type.Enum(["yes", "no", "undecided"]), remember: Type.Boolean() }),
  resources_discover: result({ skillPaths: paths, promptPaths: paths, themePaths: paths }),
  session_before_tree: result({
    cancel: Type.Boolean(),
    summary: Type.Object({ summary: Type.String() }),
    customInstructions: Type.String(),
    replaceInstructions: Type.Boolean(),
    label: Type.String({ maxLength: 1000 }),
  }),
  context: result({ messages }),
  context_with_system: result({ messages }),
  before_provider_request: result({ payload: Type.Unknown() }),
  before_provider_headers: result({
    headers: keyed(Type.Union([Type.String(), Type.Null()])),
  }),
  before_agent_start: result({
    messages: Type.Array(customMessage),
    systemPrompt: Type.String(),
    systemPromptOptions: record,
  }),
  message_end: result({ message: Type.Object({ role: Type.String() }) }),
  cache_warming_decision: result({ action: Type.String({ maxLength: MAX_NAME }) }),
  user_bash: result({
    result: Type.Object({
      output: Type.String(),
      exitCode: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
      cancelled: Type.Optional(Type.Boolean()),
      truncated: Type.Optional(Type.Boolean()),
    }),
  }),
  stop: result({ followUp: Type.String() }),
  subagent_start: result({ context: Type.String() }),
  subagent_stop: result({ followUp: Type.String() }),
  permission_request: result({ deny: Type.String() }),
  input: result({ action: Type.Enum(["continue", "transform", "handled"]), text: Type.String(), images: Content }),
});

/** The result in an outcome, as ordinary objects; `undefined` if the hook gave no result. */
export const givenBy = <Result>(outcome: Outcome): Result | undefined =>
  "verdict" in outcome ? toPlain(outcome.verdict.result as Result | undefined) : undefined;

/** The outcome, or a failure instead if its result is invalid for the event. */
export function withCheckedResult(event: { readonly type: string }, outcome: Outcome): Outcome {
  if ("failure" in outcome || outcome.verdict.result === undefined) return outcome;
  const { result } = outcome.verdict;
  if (RESULTS.get(event.type)?.Check(result) && isOfTool(event, result)) return outcome;
  return { failure: { code: "BAD_RESULT", summary: `its result is invalid for ${event.type}` } };
}

/** Whether each part of a tool's result is a text, an image, or one of another kind, such as a resource, that the tool gave. */
function isOfTool(event: { readonly type: string; readonly content?: unknown }, result: unknown): boolean {
  const { content } = result as { content?: readonly unknown[] };
  if (event.type !== "tool_result" || content === undefined) return true;
  const others = content.filter((part) => !isPart.Check(part));
  if (others.length === 0) return true;
  const own = byText(Array.isArray(event.content) ? event.content : []);
  const changed = new Map([...byText(others)].filter(([text]) => !own.has(text)));
  // Two texts of one value are equally long.
  const lengths = new Set([...changed.keys()].map(({ length }) => length));
  const alike = new Map([...own].filter(([text]) => lengths.has(text.length)));
  const size = [...changed.keys(), ...alike.keys()].reduce((sum, { length }) => sum + length, 0);
  if (changed.has("") || size > MAX_REORDERED) return false;
  const known = new Set([...alike.values()].map(orderedText));
  return [...changed.values()].every((part) => known.has(orderedText(part)));
}

/** Values by their JSON, each written down once, however many there are; what JSON cannot hold, by an empty text. */
const byText = (values: readonly unknown[]): Map<string, unknown> =>
  new Map(values.map((value) => [attemptOr(() => JSON.stringify(value), undefined) ?? "", value]));

/** Most characters of parts whose members are put in order, to see whether two are one. */
const MAX_REORDERED = 200_000;

/** One text for two values that are one as JSON, whatever order their members have. */
const orderedText = (value: unknown): string => JSON.stringify(value, inOrder);

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
