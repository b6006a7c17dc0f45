import Type, { type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { EVENT_NAMES } from "../base/event-names.ts";
import { didYouMean } from "../base/near-names.ts";
import { RpcError } from "./connection.ts";

const closed = { additionalProperties: false } as const;
const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

const METHODS: ReadonlyMap<string, ReturnType<typeof Compile>> = new Map(
  Object.entries<TSchema>({
    initialize: Type.Object(
      {
        protocolVersion: Type.Number(),
        cwd: text,
        hasUI: Type.Optional(Type.Boolean()),
        sessionFile: text,
        consent: Type.Optional(Type.String()),
      },
      closed,
    ),
    emit: Type.Object(
      {
        event: Type.Object({ type: Type.String() }),
        tools: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
      },
      closed,
    ),
    setSessionFile: Type.Object({ sessionFile: Type.Union([Type.String(), Type.Null()]) }, closed),
    setHasUI: Type.Object({ hasUI: Type.Boolean() }, closed),
    reload: Type.Object({ id: Type.Optional(Type.String()) }, closed),
    shutdown: Type.Object({}, closed),
  }).map(([name, schema]) => [name, Compile(schema)]),
);

/** The error in a request, if there is one. */
export function checkParams(method: string, params: unknown): RpcError | undefined {
  const schema = METHODS.get(method);
  if (!schema) return new RpcError(-32601, `no method ${method}`);
  if (schema.Check(params)) return undefined;
  const [error] = schema.Errors(params);
  return new RpcError(
    -32602,
    `params${error?.instancePath.replaceAll("/", ".") ?? ""} ${error?.message ?? "are wrong"}`,
  );
}

const toolFields = {
  toolName: Type.String(),
  toolCallId: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
};
const tags = {
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  agentId: Type.Optional(Type.String()),
};
const EVENTS: ReadonlyMap<string, ReturnType<typeof Compile>> = new Map(
  Object.entries<TSchema>({
    tool_call: Type.Object(toolFields),
    tool_result: Type.Object({ ...toolFields, content: Type.Array(Type.Unknown()), isError: Type.Boolean() }),
    session: Type.Object({ reason: Type.String() }),
    agent_start: Type.Object({}),
    agent_end: Type.Object({}),
    turn_start: Type.Object({}),
    turn_end: Type.Object({}),
    message: Type.Object({ text: Type.String(), ...tags }),
    params: Type.Object({ provider: Type.String(), model: Type.String(), ...tags }),
  }).map(([name, schema]) => [name, Compile(schema)]),
);

/** Refuses unknown event types: no hook would hear a mistyped event, so none would guard it. */
export function eventProblem(event: { type: string }): RpcError | undefined {
  const schema = EVENTS.get(event.type);
  if (!schema)
    return new RpcError(
      -32602,
      `params.event.type: no event ${JSON.stringify(event.type)}${didYouMean(event.type, EVENT_NAMES)}`,
    );
  if (schema.Check(event)) return undefined;
  const [error] = schema.Errors(event);
  return new RpcError(
    -32602,
    `params.event${error?.instancePath.replaceAll("/", ".") ?? ""} ${error?.message ?? "is wrong"}`,
  );
}
