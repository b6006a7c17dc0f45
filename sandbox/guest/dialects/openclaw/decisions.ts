import { members, type ResultShape } from "../../core/members.ts";
import { failure } from "../../core/outcome.ts";
import { isArray, parse, serialize } from "../../core/primordials.ts";

type Decision = Record<string, unknown>;

/** Texts for the model, in the order in which it reads them. */
const CONTEXTS = ["prependSystemContext", "appendSystemContext", "prependContext", "appendContext"];

const prompt = (event: string): ResultShape => ({
  event,
  names: ["systemPrompt", ...CONTEXTS],
  deciding: ["systemPrompt", ...CONTEXTS],
  // Which model runs is not a hook's to say here.
  ignored: ["modelOverride", "providerOverride"],
});

/** Hooks whose handlers decide by what they return, one after the other. What handlers of others return is ignored. */
const SHAPES: Readonly<Record<string, ResultShape>> = {
  before_prompt_build: prompt("before_prompt_build"),
  before_agent_start: prompt("before_agent_start"),
  tool_result_persist: { event: "tool_result_persist", names: ["message"], deciding: ["message"] },
};

export const decides = (hookName: string): boolean => Object.hasOwn(SHAPES, hookName);

/** What a handler decided, as the agent takes it; `undefined` if nothing. */
export function decisionOf(hookName: string, returned: unknown): Decision | undefined {
  const shape = SHAPES[hookName];
  if (!shape || returned === undefined || returned === null) return undefined;
  const found = parse(serialize(members(returned, shape))) as Decision;
  return hookName === "tool_result_persist" ? resultIn(found.message) : promptOf(found);
}

function resultIn(message: unknown): Decision | undefined {
  if (message === undefined || message === null) return undefined;
  const { content, details } = Object(message) as Decision;
  if (!isArray(content))
    throw failure("BAD_RESULT", "a tool_result_persist handler returned a message without content");
  return { content, ...(details === undefined ? {} : { details }) };
}

function promptOf({ systemPrompt, ...found }: Decision): Decision | undefined {
  const texts = CONTEXTS.map((name) => found[name]).filter((text) => typeof text === "string" && text !== "");
  const content = texts.join("\n\n");
  const decision = {
    ...(typeof systemPrompt === "string" ? { systemPrompt } : {}),
    ...(content === "" ? {} : { messages: [{ customType: "openclaw", content, display: false }] }),
  };
  return Object.keys(decision).length > 0 ? decision : undefined;
}
