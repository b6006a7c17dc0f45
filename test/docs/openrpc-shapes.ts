import { ERROR_CODES } from "../../src/base/errors.ts";

/** JSON Schemas of what `cordon serve` answers and sends, for `docs/openrpc.json`. */

export type Schema = Readonly<Record<string, unknown>>;

export const text = { type: "string" };
export const flag = { type: "boolean" };
export const whole = { type: "integer" };
export const anything = {};
export const textOrNull = { type: ["string", "null"] };
export const nothing = { type: "null" };
export const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
export const list = (items: Schema): Schema => ({ type: "array", items });
/** An object with any members. */
export const record = { type: "object" };
export const either = (...anyOf: readonly Schema[]): Schema => ({ anyOf });
export const named = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object with these members alone; those whose name ends with `?` may be left out. */
export function object(members: Readonly<Record<string, Schema>>, description?: string): Schema {
  const names = Object.keys(members);
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace("?", ""), schema])),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}

const hook = { ...text, description: "The hook's id." };
const content = list(
  either(
    { ...record, properties: { type: { const: "text" }, text }, required: ["type", "text"] },
    {
      ...record,
      properties: { type: { const: "image" }, data: text, mimeType: text },
      required: ["type", "data", "mimeType"],
    },
  ),
);
const offered = { hook, name: text, description: text };

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Id: { type: ["string", "number"], description: "The id of a request." },
  ErrorCode: oneOf(...ERROR_CODES),
  Later: object({ later: { const: true } }, "The agent puts the question to its person itself: see asks of emit."),
  Refusal: object({ code: named("ErrorCode") }, "The data of an error -32000."),
  Hook: object(
    {
      id: text,
      path: text,
      dialect: text,
      "digest?": { ...text, description: "Left out for a hook that could not be built." },
      "offered?": { ...text, description: "Digest of the files in its folder, if these are not what runs." },
      state: oneOf("active", "pending", "starting", "failed", "stopped", "changed"),
      events: list(text),
      "unsupported?": list(text),
      "reason?": text,
      capabilities: record,
      "limits?": record,
      disabled: flag,
      blocks: whole,
      "lastUse?": text,
      "memory?": { ...whole, description: "Bytes; only in the answer to list." },
      "key?": { ...text, description: "Its name in the user's grants, if that is not its id." },
    },
    "A hook of this session.",
  ),
  HookError: object({
    hookPath: text,
    event: text,
    error: text,
    code: named("ErrorCode"),
    "stack?": text,
    "wanted?": object({ capability: text, grant: anything }),
  }),
  Verdict: either(
    object(
      {
        block: { const: true },
        reason: text,
        "hook?": { ...text, description: "Empty or left out if Cordon itself blocks." },
        "code?": named("ErrorCode"),
        "parentToolCallId?": text,
        "question?": { ...record, description: "The person may allow the call: see asks." },
      },
      "The call must not run.",
    ),
    object({ input: record, "toolName?": text }, "The call runs with this input, and this tool if one is named."),
    nothing,
  ),
  Emitted: object({
    result: either(named("Verdict"), record, nothing),
    "changedBy?": { ...list(text), description: "For tool_result: ids of the hooks that changed it." },
    errors: list(named("HookError")),
  }),
  Offers: object({
    tools: list(
      object({
        ...offered,
        label: text,
        parameters: record,
        "executionMode?": text,
        "promptSnippet?": text,
        "promptGuidelines?": list(text),
      }),
    ),
    commands: list(object({ ...offered, completes: flag })),
    shortcuts: list(object({ ...offered, completes: flag })),
    flags: list(object({ ...offered, type: oneOf("boolean", "string"), "default?": { type: ["boolean", "string"] } })),
    providers: list(object({ hook, name: text, config: record })),
    virtualModels: list({ ...record, required: ["hook", "provider", "id", "name"] }),
    completers: list(object({ hook, name: text, triggers: list(text) })),
    keyListeners: list(text),
  }),
  ToolOutcome: object({ content, "details?": anything, isError: flag, "terminate?": flag }),
  SignedIn: object({ credentials: record, apiKey: text }),
  Suggestions: either(
    object({ prefix: text, items: list(object({ value: text, label: text, "description?": text })) }),
    nothing,
  ),
  AuditLine: object({
    seq: whole,
    time: text,
    hook: text,
    "digest?": text,
    "event?": text,
    "capability?": text,
    "value?": text,
    "grant?": text,
    "policy?": text,
    "code?": text,
    "wanted?": text,
    outcome: text,
    "monitor?": { const: true },
    "trial?": { const: true },
    prev: text,
  }),
};
