import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

const modelGrant = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  description: "Providers whose API keys it may have, and whose models it may ask, at your cost.",
});
type Grant = string[];

export const modelPower: Power<typeof modelGrant> = { schema: modelGrant, ...names<string>() };

const resolveApiKey: Capability<"model.resolveApiKey", Grant, { provider: string }> = {
  read: ([model]) => model,
  check: (model, grant) => (grant?.includes(model.provider) ? model : undefined),
  async perform({ checked: model }, { hook, session, event }) {
    const resolve = event?.resolveApiKey ?? session.model?.resolveApiKey?.bind(session.model);
    const key = await resolve?.(toPlain(model), { hook: hook.id });
    return typeof key === "string" ? key : undefined;
  },
  describe: ({ provider }) => quoted(provider),
  propose: ({ provider }) => [provider],
  waits: "program",
  perMinute: () => 60,
};

interface Question {
  model: { provider: string; id?: string };
  context: object;
  options: object;
}

/** Asks a model, at the person's cost. */
const complete: Capability<"model.complete", Grant, Question> = {
  read: ([model, context, options]) => ({ model, context, options }),
  check: (asked, grant) => (grant?.includes(asked.model.provider) ? asked : undefined),
  async perform({ checked: { model, context, options } }, { hook, session, signal }) {
    const own = { ...toPlain(options), signal };
    const answer = session.model?.complete?.(toPlain(model), toPlain(context), own, { hook: hook.id });
    if (answer === undefined) throw new Error("this agent lends no model to hooks");
    return answer;
  },
  describe: ({ model }) => [model.provider, ...(model.id === undefined ? [] : [model.id])].map(quoted).join(" "),
  propose: ({ model }) => [model.provider],
  waits: "program",
  perMinute: () => 20,
};

/** Looks a model up among those the agent knows. Where it keeps no list, the name alone is the model. */
const find: Capability<"model.find", Grant, { provider: string; id: string }> = {
  read: ([provider, id]) => ({ provider, id }),
  check: (asked, grant) => (grant?.includes(asked.provider) ? asked : undefined),
  async perform({ checked: { provider, id } }, { session }) {
    const found = session.model?.findModel;
    return found ? ((await found.call(session.model, provider, id)) ?? null) : { provider, id, name: id };
  },
  describe: ({ provider, id }) => `${quoted(provider)} ${quoted(id)}`,
  propose: ({ provider }) => [provider],
  perMinute: () => 600,
};

export const model = {
  ...sealed("model.complete", complete),
  ...sealed("model.find", find),
  ...sealed("model.resolveApiKey", resolveApiKey),
};
