import { members, type ResultShape } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { isArray, parse, serialize } from "../../core/primordials.ts";

/**
 * `terminate` (of later versions of pi) asks the agent to stop after the call. Only an agent can do that: it is
 * ignored.
 */
export const TOOL_CALL: ResultShape = {
  event: "tool_call",
  names: ["block", "reason"],
  deciding: ["block"],
  instead: { input: "to change the call, change event.input" },
  ignored: ["terminate"],
};
export function toolCallResult(returned: unknown): { block?: boolean; reason?: string } | undefined {
  const { block, reason } = members(returned, TOOL_CALL);
  if (reason !== undefined && reason !== null && typeof reason !== "string") {
    throw failure("BAD_RESULT", `a tool_call handler returned a reason that is a ${typeof reason}, not a text`);
  }
  if (!block) return typeof reason === "string" ? { block: false, reason } : undefined;
  return typeof reason === "string" ? { block: true, reason } : { block: true };
}

type Members = Record<string, unknown>;

interface ResultKind {
  readonly shape: ResultShape;
  /** Makes plain data of the members that a handler returned. */
  take(found: Members): Members;
}

const kind = (event: string, names: readonly string[], take: ResultKind["take"]): [string, ResultKind] => [
  event,
  { shape: { event, names, deciding: names }, take },
];

/** The results of events that handlers can change, beside tool calls. */
export const RESULTS: ReadonlyMap<string, ResultKind> = new Map([
  kind("tool_result", ["content", "details", "structuredContent", "isError"], (found) => parse(serialize(found))),
  kind("message", ["text", "metadata"], ({ metadata, ...found }) =>
    metadata === undefined ? found : { ...found, metadata: plainObject(serialize(metadata), "metadata") },
  ),
  kind("params", ["thinkLevel", "reasoningLevel", "temperature"], (found) => found),
  kind("session", ["cancel", "skipConversationRestore", "compactionEntry", "compaction"], (found) => ({
    ...("cancel" in found ? { cancel: Boolean(found.cancel) } : {}),
    ...("skipConversationRestore" in found ? { skipConversationRestore: Boolean(found.skipConversationRestore) } : {}),
    ...(found.compactionEntry ? { compactionEntry: parse(serialize(found.compactionEntry)) } : {}),
    ...(found.compaction ? { compaction: parse(serialize(found.compaction)) } : {}),
  })),
]);

const isA = (type: string) => (value: unknown) => typeof value === type;

const isObject = (value: unknown): boolean => typeof value === "object" && !isArray(value);

/** What members must be, and what a message calls those that are not. */
const MEMBERS: Readonly<Record<string, [fits: (value: unknown) => boolean, fault: string]>> = {
  content: [isArray, "content that is not an array"],
  isError: [isA("boolean"), "an isError that is not a boolean"],
  text: [isA("string"), "a text that is not a text"],
  thinkLevel: [isA("string"), "a thinkLevel that is not a string"],
  reasoningLevel: [isA("string"), "a reasoningLevel that is not a string"],
  temperature: [isA("number"), "a temperature that is not a number"],
  compactionEntry: [isObject, "a compactionEntry that is not an object"],
  compaction: [isObject, "a compaction that is not an object"],
};

/** Reads a result as plain data. Throws `BAD_RESULT` if a member is not what it must be. */
export function resultOf({ shape, take }: ResultKind, returned: unknown): Members {
  const found = members(returned, shape);
  for (const [name, value] of Object.entries(found)) {
    const [fits, fault] = MEMBERS[name] ?? [];
    if (fits && !fits(value)) throw failure("BAD_RESULT", `a ${shape.event} handler returned ${fault}`);
  }
  return take(found);
}
