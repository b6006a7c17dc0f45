import { AGENT_ACTS, AGENT_READS, SESSION_FACTS, SESSION_TEXTS } from "../../sandbox/wire/choices.ts";
import { EXTENSION_EVENTS, SESSION_REASONS } from "../../sandbox/wire/events.ts";
import { didYouMean } from "../base/near-names.ts";
import { compiled, exactly, keyed, type SchemaCheck } from "../base/schema.ts";
import Type from "../base/type.ts";
import { lackedKeys } from "../grants/lacked-keys.ts";
import { unknownKeyIn, wantedIn } from "../grants/schema-fault.ts";
import { RpcError } from "./connection.ts";

const nullable = Type.Union([Type.String(), Type.Null()]);

const screen = Type.Integer({ minimum: 1 });
/** Columns or rows of a terminal. */
const cells = Type.Integer({ minimum: 1, maximum: 10_000 });
/** A row or a column in a text, from 0. */
const place = Type.Integer({ minimum: 0 });
const record = Type.Record(Type.String(), Type.Unknown());
const colours = keyed(Type.String());

const shortText = Type.String({ minLength: 1, maxLength: 128 });

/** The params of each request, as `docs/openrpc.json` shows them. */
export const PARAMS = {
  initialize: exactly({
    protocolVersion: Type.Number(),
    cwd: Type.Optional(nullable),
    hasUI: Type.Optional(Type.Boolean()),
    sessionFile: Type.Optional(nullable),
    consent: Type.Optional(Type.Enum(["person"])),
    agentName: Type.Optional(shortText),
    agentVersion: Type.Optional(shortText),
    toolNames: Type.Optional(keyed(shortText)),
    remedy: Type.Optional(Type.Union([Type.String(), keyed(Type.String())])),
    agent: Type.Optional(
      exactly({
        session: Type.Optional(Type.Array(Type.Enum([...SESSION_TEXTS, ...SESSION_FACTS]))),
        read: Type.Optional(Type.Array(Type.Enum([...AGENT_READS]))),
        act: Type.Optional(Type.Array(Type.Enum([...AGENT_ACTS]))),
        sendMessage: Type.Optional(Type.Boolean()),
        screens: Type.Optional(Type.Boolean()),
        canRun: Type.Optional(Type.Boolean()),
        providers: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
      }),
    ),
  }),
  setState: exactly({ state: Type.Record(Type.String(), Type.Unknown()) }),
  setTheme: exactly({ theme: Type.Object({ name: Type.String(), fg: colours, bg: colours }) }),
  offers: exactly({}),
  drawScreen: exactly({
    screen,
    width: cells,
    rows: Type.Optional(cells),
    footer: Type.Optional(exactly({ gitBranch: nullable, statuses: keyed(Type.String()) })),
    bindings: Type.Optional(keyed(Type.Array(Type.String()))),
  }),
  screenInput: exactly({ screen, data: Type.String(), actions: Type.Optional(Type.Array(Type.String())) }),
  setEditorText: exactly({ screen, text: Type.String(), sent: Type.Optional(Type.String()) }),
  closeScreen: exactly({ screen }),
  render: exactly({
    subject: Type.Union([
      exactly({ kind: Type.Enum(["message", "entry"]), name: Type.String(), value: Type.Unknown() }),
      exactly({ kind: Type.Literal("call"), name: Type.String(), args: Type.Unknown() }),
      exactly({ kind: Type.Literal("result"), name: Type.String(), args: Type.Unknown(), result: Type.Unknown() }),
    ]),
    width: cells,
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  answer: exactly({ name: Type.String(), model: record, context: record, options: Type.Optional(record) }),
  route: exactly({ provider: Type.String(), id: Type.String(), request: record }),
  signIn: exactly({ name: Type.String() }),
  renew: exactly({ name: Type.String(), credentials: record }),
  providerModels: exactly({ name: Type.String() }),
  runTool: exactly({ name: Type.String(), toolCallId: Type.String(), params: Type.Unknown() }),
  runCommand: exactly({
    kind: Type.Enum(["command", "shortcut"]),
    name: Type.String(),
    args: Type.Optional(Type.String()),
  }),
  complete: exactly({ name: Type.String(), args: Type.String() }),
  suggest: exactly({
    hook: Type.String(),
    name: Type.String(),
    lines: Type.Array(Type.String()),
    row: place,
    col: place,
    force: Type.Optional(Type.Boolean()),
  }),
  pressKey: exactly({ data: Type.String() }),
  setFlag: exactly({ name: Type.String(), value: Type.Union([Type.Boolean(), Type.String()]) }),
  emit: exactly({
    event: Type.Object({ type: Type.String() }),
    tools: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
    asks: Type.Optional(Type.Boolean()),
  }),
  setSessionFile: exactly({ sessionFile: nullable }),
  setHasUI: exactly({ hasUI: Type.Boolean() }),
  list: exactly({}),
  grant: exactly({ id: Type.String(), power: shortText, value: Type.Optional(Type.Unknown()) }),
  revoke: exactly({ id: Type.String(), power: Type.Optional(shortText) }),
  enable: exactly({ id: Type.String() }),
  disable: exactly({ id: Type.String() }),
  audit: exactly({
    hook: Type.Optional(Type.String()),
    power: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.String()),
    since: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  }),
  reload: exactly({ id: Type.Optional(Type.String()) }),
  shutdown: exactly({}),
};
const METHODS = compiled(PARAMS);

const toolFields = {
  toolName: Type.String(),
  toolCallId: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
};
const tags = {
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  agentId: Type.Optional(Type.String()),
};
const EVENTS = compiled({
  ...Object.fromEntries(Object.keys(EXTENSION_EVENTS).map((name) => [name, Type.Object({})])),
  tool_call: Type.Object(toolFields),
  tool_result: Type.Object({ ...toolFields, content: Type.Array(Type.Unknown()), isError: Type.Boolean() }),
  session: Type.Object({ reason: Type.String() }),
  agent_start: Type.Object({}),
  agent_end: Type.Object({}),
  turn_start: Type.Object({}),
  turn_end: Type.Object({}),
  message: Type.Object({ text: Type.String(), ...tags }),
  params: Type.Object({ provider: Type.String(), model: Type.String(), ...tags }),
});

const badParams = (text: string): RpcError => new RpcError(-32602, `params${text}`);

/** The error in a request, if there is one. */
export function checkParams(method: string, params: unknown): RpcError | undefined {
  const schema = METHODS.get(method);
  if (schema) return firstError(schema, params, "");
  if (method === "cancel") return new RpcError(-32601, "cancel is a notification: send it without an id");
  return new RpcError(-32601, `no method ${method}${didYouMean(method, METHODS.keys())}`);
}

/** Refuses unknown event types: no hook would hear a mistyped event, so none would guard it. */
export function eventProblem(event: { type: string }): RpcError | undefined {
  const { type } = event;
  const schema = EVENTS.get(type);
  const fault = schema && firstError(schema, event, ".event");
  if (fault) return fault;
  const { reason } = event as { reason?: unknown };
  if (type === "session" && !SESSION_REASONS.some((one) => one === reason))
    return badParams(
      `.event.reason: no reason ${JSON.stringify(reason)}${didYouMean(String(reason), SESSION_REASONS)}`,
    );
  if (schema) return undefined;
  // pi's extensions hear of a session by names of their own.
  const reasonNamed = SESSION_REASONS.find((one) => type === `session_${one}`);
  if (reasonNamed !== undefined)
    return badParams(
      `.event.type: no event ${JSON.stringify(type)}; write "type": "session", "reason": ${JSON.stringify(reasonNamed)}`,
    );
  return badParams(`.event.type: no event ${JSON.stringify(type)}${didYouMean(type, EVENTS.keys())}`);
}

function firstError({ schema, Check, Errors }: SchemaCheck, value: unknown, at: string): RpcError | undefined {
  if (Check(value)) return undefined;
  const errors = Errors(value);
  const unknown = unknownKeyIn(schema, errors);
  if (unknown !== undefined) return badParams(`${at}: ${unknown}`);
  const [error] = errors;
  const fault = error && (lackedKeys(schema, value, error) ?? wantedIn(error, errors));
  return badParams(`${at}${error?.instancePath.replaceAll("/", ".") ?? ""} ${fault ?? "is wrong"}`);
}
