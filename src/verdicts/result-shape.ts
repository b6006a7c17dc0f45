import Type, { type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import type { Outcome } from "../supervisor/outcome.ts";

const closed = { additionalProperties: false } as const;

/** Such as "high". Each agent has its own levels. */
const level = Type.String({ maxLength: MAX_NAME });

const Content = Type.Array(
  Type.Union([
    Type.Object({ type: Type.Literal("text"), text: Type.String() }),
    Type.Object({ type: Type.Literal("image"), data: Type.String(), mimeType: Type.String() }),
  ]),
);

/** The valid results of a bundle, by event type. The guest half makes no others. */
const RESULTS: ReadonlyMap<string, ReturnType<typeof Compile>> = new Map(
  Object.entries<TSchema>({
    tool_call: Type.Object({ block: Type.Optional(Type.Boolean()), reason: Type.Optional(Type.String()) }, closed),
    tool_result: Type.Object(
      {
        content: Type.Optional(Content),
        details: Type.Optional(Type.Unknown()),
        isError: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    message: Type.Object(
      { text: Type.Optional(Type.String()), metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
      closed,
    ),
    params: Type.Object(
      {
        thinkLevel: Type.Optional(level),
        reasoningLevel: Type.Optional(level),
        temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
      },
      closed,
    ),
    session: Type.Object(
      {
        cancel: Type.Optional(Type.Boolean()),
        skipConversationRestore: Type.Optional(Type.Boolean()),
        compactionEntry: Type.Optional(Type.Object({})),
      },
      closed,
    ),
  }).map(([type, schema]) => [type, Compile(schema)]),
);

/** The outcome, or a failure instead if its result is invalid for the event. */
export function withCheckedResult(type: string, outcome: Outcome): Outcome {
  if ("failure" in outcome || outcome.verdict.result === undefined) return outcome;
  const schema = RESULTS.get(type);
  if (schema?.Check(outcome.verdict.result)) return outcome;
  return { failure: { code: "BAD_RESULT", summary: `its result is invalid for ${type}` } };
}
