import { type Route, THINKING_LEVELS } from "../../sandbox/wire/providers.ts";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";

/** Most characters of what a router wants to know at the next request, as JSON: the agent keeps it in its session. */
const MAX_STATE = 100_000;
const isRoute = compile(
  Type.Object({
    model: Type.Object({ provider: Type.String({ maxLength: 64 }), id: Type.String({ maxLength: 256 }) }),
    thinkingLevel: Type.Enum([...THINKING_LEVELS]),
    state: Type.Optional(Type.Unknown()),
  }),
);

/** The model that a hook chose: only its name counts. Throws for what is no choice. `hook`: its name. */
export function routeOf(value: unknown, hook: string): Route {
  if (!isRoute.Check(value)) throw new TypeError(`hook ${hook} chose no model`);
  const { model, thinkingLevel, state } = value;
  if ((JSON.stringify(state) ?? "").length > MAX_STATE) throw new RangeError(`hook ${hook} keeps too much of a choice`);
  const kept = state === undefined ? {} : { state };
  return { model: { provider: model.provider, id: model.id }, thinkingLevel, ...kept };
}
