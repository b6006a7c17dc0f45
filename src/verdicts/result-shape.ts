import Type, { type TProperties } from "typebox";
import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import { compiled } from "../base/schema.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";

/** All members of a result are optional. */
const result = (members: TProperties) => Type.Partial(Type.Object(members), { additionalProperties: false });

/** Such as "high". Each agent has its own levels. */
const level = Type.String({ maxLength: MAX_NAME });

const Content = Type.Array(
  Type.Union([
    Type.Object({ type: Type.Literal("text"), text: Type.String() }),
    Type.Object({ type: Type.Literal("image"), data: Type.String(), mimeType: Type.String() }),
  ]),
);

/** The valid results of a bundle, by event type. The guest half makes no others. */
const RESULTS = compiled({
  tool_call: result({ block: Type.Boolean(), reason: Type.String() }),
  tool_result: result({ content: Content, details: Type.Unknown(), isError: Type.Boolean() }),
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
  }),
});

/** The result in an outcome, as ordinary objects; `undefined` if there is none. */
export const givenBy = <Result>(outcome: Outcome): Result | undefined =>
  "verdict" in outcome ? toPlain(outcome.verdict.result as Result | undefined) : undefined;

/** The outcome, or a failure instead if its result is invalid for the event. */
export function withCheckedResult(type: string, outcome: Outcome): Outcome {
  if ("failure" in outcome || outcome.verdict.result === undefined) return outcome;
  const schema = RESULTS.get(type);
  if (schema?.Check(outcome.verdict.result)) return outcome;
  return { failure: { code: "BAD_RESULT", summary: `its result is invalid for ${type}` } };
}
