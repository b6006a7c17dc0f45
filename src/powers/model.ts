import Type from "typebox";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { names } from "./algebra.ts";
import { type Capability, letThrough } from "./capability.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

/** Providers whose keys the hook may have, and whose models it may ask. */
export const modelGrant = Type.Array(Type.String({ minLength: 1, maxLength: 64 }));
type Grant = string[];
type Request = { provider: string; model: unknown };

export const modelPower: Power<Grant> = { schema: modelGrant, fault: () => undefined, ...names<string>() };

const resolveApiKey: Capability<Grant, Request> = {
  capability: "model",
  request: Type.Tuple([Type.Object({ provider: Type.String({ maxLength: 64 }) })]),
  read: ([model]) => ({ provider: (model as { provider: string }).provider, model }),
  check: (asked, grant) => (grant?.includes(asked.provider) ? letThrough(asked) : undefined),
  async perform({ model }, { hook, session, event }) {
    const resolve = event?.resolveApiKey ?? session.model?.resolveApiKey?.bind(session.model);
    const key = await resolve?.(toPlain(model), { hook: hook.id });
    return typeof key === "string" ? key : undefined;
  },
  describe: ({ provider }) => quoted(provider),
  propose: ({ provider }) => [provider],
  waits: true,
  perMinute: () => 60,
};

interface Question {
  model: { provider: string; id?: string };
  context: object;
  options: object;
}

const modelShape = Type.Object({
  provider: Type.String({ minLength: 1, maxLength: 64 }),
  id: Type.Optional(Type.String({ maxLength: 256 })),
});

/** Asks a model, at the person's cost. */
const complete: Capability<Grant, Question> = {
  capability: "model",
  request: Type.Tuple([modelShape, Type.Object({}), Type.Object({})]),
  read: ([model, context, options]) => ({ model, context, options }) as Question,
  check: (asked, grant) => (grant?.includes(asked.model.provider) ? letThrough(asked) : undefined),
  async perform({ model, context, options }, { hook, session, signal }) {
    const answer = session.model?.complete?.(
      toPlain(model),
      toPlain(context),
      { ...toPlain(options), signal },
      {
        hook: hook.id,
      },
    );
    if (answer === undefined) throw new Error("this agent lends no model to hooks");
    return answer;
  },
  describe: ({ model }) => [model.provider, ...(model.id === undefined ? [] : [model.id])].map(quoted).join(" "),
  propose: ({ model }) => [model.provider],
  waits: true,
  perMinute: () => 20,
};

/** Looks a model up among those the agent knows. Where it keeps no list, the name alone is the model. */
const find: Capability<Grant, { provider: string; id: string }> = {
  capability: "model",
  sync: "only",
  request: Type.Tuple([Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 })]),
  read: ([provider, id]) => ({ provider: provider as string, id: id as string }),
  check: (asked, grant) => (grant?.includes(asked.provider) ? letThrough(asked) : undefined),
  async perform({ provider, id }, { session }) {
    const found = session.model?.findModel;
    return found ? ((await found.call(session.model, provider, id)) ?? null) : { provider, id, name: id };
  },
  describe: ({ provider, id }) => `${quoted(provider)} ${quoted(id)}`,
  propose: ({ provider }) => [provider],
  waits: false,
  perMinute: () => 600,
};

export const model = {
  "model.complete": complete,
  "model.find": find,
  "model.resolveApiKey": resolveApiKey,
};
