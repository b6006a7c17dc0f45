import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_ACTS, AGENT_READS, SESSION_FACTS, SESSION_TEXTS } from "../../sandbox/wire/choices.ts";
import { LOGIN_STEPS, STREAM_NOTES } from "../../sandbox/wire/providers.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { PARAMS } from "../../src/rpc/params.ts";
import {
  anything,
  either,
  flag,
  list,
  named,
  nothing,
  object,
  oneOf,
  record,
  SCHEMAS,
  type Schema,
  text,
  textOrNull,
  whole,
} from "./openrpc-shapes.ts";

/** Of a request: what it is for, its result, and the codes that `data.code` of its error -32000 may have. */
type Answered = readonly [summary: string, result: Schema, ...codes: readonly string[]];

const BEFORE = "NOT_ACCEPTED";

/** The requests of an agent. Their params are those that the server checks. */
const REQUESTS: Readonly<Record<keyof typeof PARAMS, Answered>> = {
  initialize: [
    "Finds and starts the hooks. The first request of a session.",
    object({ protocolVersion: { const: 1 }, hooks: list(named("Hook")), offers: named("Offers") }),
    "BAD_GRANT",
    "BAD_MANIFEST",
    "INTEGRITY_MISMATCH",
  ],
  emit: ["Shows an event to the hooks. For tool_call, the result is the verdict.", named("Emitted"), BEFORE],
  setState: ["Says what ctx.model, ctx.isIdle() and the like return.", nothing, BEFORE],
  setTheme: ["Says the colours of the agent, as escape sequences.", nothing, BEFORE],
  setSessionFile: ["Says which file the session is kept in.", nothing, BEFORE],
  setHasUI: ["Says whether there is a person to ask.", nothing, BEFORE],
  offers: ["Lists what hooks add to the agent.", named("Offers"), BEFORE],
  runTool: ["Runs a hook's tool.", named("ToolOutcome"), BEFORE, "NOT_GRANTED", "CRASHED"],
  runCommand: ["Runs a hook's command or shortcut.", object({ "error?": text }), BEFORE, "NOT_GRANTED", "CRASHED"],
  complete: [
    "Completes the arguments of a hook's command.",
    list(object({ value: text, label: text })),
    BEFORE,
    "NOT_GRANTED",
    "CRASHED",
  ],
  setFlag: ["Says the value of a flag to the hooks that registered it.", nothing, BEFORE],
  render: [
    "Draws a message, an entry, a call or a result by a hook's renderer.",
    object({ lines: either(list(text), nothing) }),
    BEFORE,
    "CRASHED",
  ],
  suggest: ["Asks a hook's completer.", named("Suggestions"), BEFORE, "CRASHED"],
  pressKey: [
    "Hands a key to the hooks that hear keys.",
    object({ "consume?": { const: true }, "data?": text }),
    BEFORE,
  ],
  drawScreen: ["Draws a hook's component. Later lines follow in screen/lines.", object({ lines: list(text) }), BEFORE],
  screenInput: ["Hands a key to a hook's component.", nothing, BEFORE],
  setEditorText: ["Replaces the text in a hook's editor.", nothing, BEFORE],
  closeScreen: ["The person leaves a hook's component.", nothing, BEFORE],
  answer: [
    "Has a hook answer for a model. The parts come in provider/event, until one of type done or error.",
    nothing,
    BEFORE,
    "NOT_GRANTED",
    "CRASHED",
  ],
  route: [
    "Has a hook choose the model for a request.",
    object({ model: object({ provider: text, id: text }), thinkingLevel: text, "state?": anything }),
    BEFORE,
    "NOT_GRANTED",
    "CRASHED",
  ],
  signIn: ["Signs the person in to a hook's provider.", named("SignedIn"), BEFORE, "NOT_GRANTED", "CRASHED"],
  renew: ["Renews the credentials of a hook's provider.", named("SignedIn"), BEFORE, "NOT_GRANTED", "CRASHED"],
  providerModels: ["Lists the models of a hook's provider anew.", list(record), BEFORE, "NOT_GRANTED", "CRASHED"],
  list: ["Lists the hooks, with the memory of each.", object({ hooks: list(named("Hook")) }), BEFORE, "BAD_GRANT"],
  grant: [
    "Asks the person, through consent/ask, to grant a hook a power.",
    object({ answer: oneOf("deny", "session", "always") }),
    BEFORE,
    "BAD_GRANT",
  ],
  revoke: ["Takes one power of a hook away, or all.", nothing, BEFORE, "BAD_GRANT"],
  enable: ["Starts a disabled hook anew, without what was allowed for this session.", nothing, BEFORE, "BAD_GRANT"],
  disable: [
    "Asks the person, through consent/ask, to disable a hook for this session.",
    object({ disabled: flag }),
    BEFORE,
    "BAD_GRANT",
  ],
  audit: ["Reads the record of what hooks did.", object({ lines: list(named("AuditLine")) }), BEFORE, "BAD_GRANT"],
  reload: [
    "Restarts a hook with its files as they are now, or all that are stopped, failed or in the state `changed`.",
    nothing,
    BEFORE,
    "LOAD_FAILED",
    "BAD_GRANT",
  ],
  shutdown: ["Tells the hooks, ends them, and ends the process with exit code 0.", nothing],
};

const LATER = named("Later");
const id = named("Id");
const asker = { hook: { ...textOrNull, description: "The hook's id; null for a question of Cordon's own." } };
const screen = whole;

/** Of a message of Cordon's: what it is for, its params, and the result of a request. */
type Sent = readonly [summary: string, params: Readonly<Record<string, Schema>>, result?: Schema];

const FROM_CORDON: Readonly<Record<string, Sent>> = {
  "ui/select": ["Lets the person choose.", { ...asker, title: text, options: list(text) }, either(textOrNull, LATER)],
  "ui/confirm": ["Asks yes or no.", { ...asker, title: text, message: text }, either(flag, LATER)],
  "ui/input": ["Asks for a line of text.", { ...asker, title: text, "placeholder?": text }, either(textOrNull, LATER)],
  "ui/editor": ["Lets the person edit a text.", { ...asker, title: text, "prefill?": text }, textOrNull],
  "consent/ask": [
    "Asks the person about a power. Anything but one of the answers is a denial.",
    {
      hook: text,
      capability: text,
      value: anything,
      text,
      "grants?": anything,
      "why?": text,
      "answers?": list(oneOf("once", "session", "always", "deny")),
    },
    either(oneOf("once", "session", "always", "deny"), LATER),
  ],
  "model/resolveApiKey": ["Asks for the key of a model's provider.", { ...asker, model: anything }, textOrNull],
  "model/complete": [
    "Asks a model for an answer.",
    { hook: text, model: record, context: record, options: record },
    anything,
  ],
  "agent/session": [
    "Reads the agent's session.",
    { name: oneOf(...SESSION_TEXTS, ...SESSION_FACTS), argument: textOrNull },
    anything,
  ],
  "agent/read": ["Reads something of the agent.", { name: oneOf(...AGENT_READS) }, anything],
  "agent/act": [
    "Has the agent do something.",
    { hook: text, name: oneOf(...AGENT_ACTS), args: list(anything) },
    anything,
  ],
  "agent/canRun": [
    "Asks whether the agent can run the tool that a hook chose.",
    { tool: text, toolCallId: text },
    flag,
  ],
  "provider/login": [
    "Shows or asks something of a sign-in. id: the request signIn.",
    { id, step: oneOf(...LOGIN_STEPS), value: anything },
    anything,
  ],
  "provider/note": [
    "Tells what a hook sends or got for an answer. id: the request answer.",
    { id, note: oneOf(...STREAM_NOTES), value: anything },
    anything,
  ],
  cancel: ["Nobody waits for the answer to this request of Cordon's any more.", { id }],
  "ui/notify": ["Tells the person something.", { ...asker, message: text, type: oneOf("info", "warning", "error") }],
  "ui/show": ["Shows something without a dialog.", { ...asker, what: text, args: list(anything) }],
  "session/send": ["Puts a hook's message into the session.", { hook: text, text, "attachments?": list(anything) }],
  "hook/error": ["Tells what went wrong with a hook outside of an emit.", { ...membersOf(SCHEMAS.HookError) }],
  "hook/state": ["A hook's state changed.", { id: text, state: text, "reason?": text }],
  "hook/offers": ["What hooks offer changed.", { ...membersOf(SCHEMAS.Offers) }],
  "tool/update": ["A part of the result of a tool that runs. id: the request runTool.", { id, partial: record }],
  "provider/event": ["A part of an answer. id: the request answer.", { id, event: record }],
  "screen/open": [
    "A hook shows a component.",
    {
      screen,
      hook: text,
      where: oneOf("custom", "editor", "widget", "footer", "header"),
      "overlay?": flag,
      "layout?": record,
      "key?": text,
      "placement?": text,
    },
  ],
  "screen/lines": ["A component has new lines.", { screen, hidden: flag, lines: list(text), "text?": text }],
  "screen/act": [
    "An editor wants an action of the agent, or its text sent.",
    { screen, "action?": text, "submit?": text },
  ],
  "screen/ended": ["A component is over.", { screen }],
  "agent/sendMessage": [
    "Puts a hook's own message into the session.",
    { hook: text, message: record, options: record },
  ],
};

/** The members of an object schema, as `object` takes them. */
function membersOf(schema: Schema | undefined): Record<string, Schema> {
  const { properties, required = [] } = schema as { properties: Record<string, Schema>; required?: string[] };
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [required.includes(name) ? name : `${name}?`, part]),
  );
}

const paramsOf = (schema: Schema) =>
  Object.entries(membersOf(schema)).map(([name, part]) => ({
    name: name.replace("?", ""),
    required: !name.endsWith("?"),
    schema: part,
  }));

const MEANS = new Map([
  [-32700, "not UTF-8, or not JSON"],
  [-32600, "no valid request: a batch, a duplicate key, a number that changes when it is parsed, an id in flight"],
  [-32601, "no such method"],
  [-32602, "wrong params"],
  [-32603, "an error inside Cordon"],
  [-32000, "refused: data.code says why"],
]);

const errorOf = (code: number, data?: unknown) => ({
  code,
  message: MEANS.get(code),
  ...(data === undefined ? {} : { data }),
});

const request = ([name, [summary, result, ...codes]]: [string, Answered]) => ({
  name,
  summary,
  paramStructure: "by-name",
  params: paramsOf(PARAMS[name as keyof typeof PARAMS] as unknown as Schema),
  result: { name: "result", schema: result },
  errors: [errorOf(-32602), ...(codes.length > 0 ? [errorOf(-32000, { code: codes })] : [])],
});

const sent = ([name, [summary, params, result]]: [string, Sent]) => ({
  name,
  summary,
  paramStructure: "by-name",
  params: paramsOf(object(params)),
  ...(result === undefined ? {} : { result: { name: "result", schema: result } }),
});

const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));

/** `docs/openrpc.json`. `methods` are the server's; `x-from-cordon` has what it sends, in the same shape. */
export const openrpcDocument = () => {
  const document = {
    openrpc: "1.3.2",
    info: {
      title: "cordon serve",
      version,
      description:
        "JSON-RPC 2.0 over standard input and output, one message a line. methods: what the agent sends. x-from-cordon: what Cordon sends. A method without a result is a notification.",
      license: { name: "MIT" },
    },
    methods: [
      ...Object.entries(REQUESTS).map(request),
      {
        name: "cancel",
        summary: "The person gave up: the request of this id is cancelled. A tool call that hooks judge is blocked.",
        paramStructure: "by-name",
        params: [{ name: "id", required: true, schema: id }],
      },
    ],
    "x-from-cordon": Object.entries(FROM_CORDON).map(sent),
    "x-errors": [...MEANS.keys()].map((code) => errorOf(code)),
    components: { schemas: SCHEMAS },
  };
  return JSON.parse(JSON.stringify(document)) as typeof document;
};
