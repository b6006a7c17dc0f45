import { compile, keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";

const text = Type.Object({ type: Type.Literal("text"), text: Type.String() });
const image = Type.Object({ type: Type.Literal("image"), data: Type.String(), mimeType: Type.String() });
const thinking = Type.Object({ type: Type.Literal("thinking"), thinking: Type.String() });
const toolCall = Type.Object({
  type: Type.Literal("toolCall"),
  id: Type.String(),
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
});
const shown = Type.Array(Type.Union([text, image]));
const written = Type.Union([Type.String(), shown]);
const timestamp = Type.Number();
const amount = Type.Number({ minimum: 0 });
const cost = Type.Object({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount, total: amount });
/** A tool that the hook offers to a model. It runs only if the agent has it. */
const declared = Type.Object({ name: Type.String(), description: Type.String(), parameters: Type.Unknown() });
const usage = Type.Object({
  input: amount,
  output: amount,
  cacheRead: amount,
  cacheWrite: amount,
  totalTokens: amount,
  cost,
});

/** The messages of a conversation, in the shapes of later versions of pi. The agent's own code reads them. */
const message = compile(
  Type.Union([
    Type.Object({
      role: Type.Literal("system"),
      content: Type.Union([Type.String(), Type.Array(text)]),
      sections: Type.Optional(keyed(Type.Union([Type.String(), Type.Null()]))),
      toolsAdded: Type.Optional(Type.Array(declared)),
      toolsRemoved: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
      timestamp,
    }),
    Type.Object({ role: Type.Literal("user"), content: written, timestamp }),
    Type.Object({
      role: Type.Literal("assistant"),
      content: Type.Array(Type.Union([text, thinking, toolCall])),
      api: Type.String(),
      provider: Type.String(),
      model: Type.String(),
      usage,
      stopReason: Type.Enum(["stop", "length", "toolUse", "error", "aborted"]),
      timestamp,
    }),
    Type.Object({
      role: Type.Literal("toolResult"),
      toolCallId: Type.String(),
      toolName: Type.String(),
      content: shown,
      isError: Type.Boolean(),
      timestamp,
    }),
    Type.Object({ role: Type.Literal("custom"), customType: Type.String(), content: written, timestamp }),
    Type.Object({ role: Type.Literal("branchSummary"), summary: Type.String(), timestamp }),
    Type.Object({ role: Type.Literal("compactionSummary"), summary: Type.String(), timestamp }),
    Type.Object({ role: Type.Literal("bashExecution"), command: Type.String(), output: Type.String(), timestamp }),
  ]),
);

/** A message that a hook wrote, as ordinary objects. Throws if it is no message. */
export function agentMessage(given: unknown): object {
  if (!message.Check(given)) throw new TypeError("a message of an agent that is of no known shape");
  return toPlain(given as object);
}
