import Type from "typebox";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

/** Providers whose keys the hook may have, and whose models it may ask. */
const modelGrant = Type.Array(Type.String({ minLength: 1, maxLength: 64 }));
type Grant = string[];
type Request = { provider: string; model: unknown };

export const modelPower: Power<typeof modelGrant> = { schema: modelGrant, ...names<string>() };

/** Leave to ask one provider. */
class ModelPermit<Of extends object> {
  readonly asked: Of;

  private constructor(asked: Of) {
    this.asked = asked;
  }

  static check<Of extends object>(asked: Of, grant: Grant | undefined, provider: string): ModelPermit<Of> | undefined {
    return grant?.includes(provider) ? new ModelPermit(asked) : undefined;
  }
}

const resolveApiKey: Capability<Grant, Request, ModelPermit<Request>, "model.resolveApiKey"> = {
  capability: "model",
  read: ([model]) => ({ provider: model.provider, model }),
  check: (asked, grant) => ModelPermit.check(asked, grant, asked.provider),
  async perform({ asked: { model } }, { hook, session, event }) {
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

/** Asks a model, at the person's cost. */
const complete: Capability<Grant, Question, ModelPermit<Question>, "model.complete"> = {
  capability: "model",
  read: ([model, context, options]) => ({ model, context, options }),
  check: (asked, grant) => ModelPermit.check(asked, grant, asked.model.provider),
  async perform({ asked: { model, context, options } }, { hook, session, signal }) {
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

interface Name {
  provider: string;
  id: string;
}

/** Looks a model up among those the agent knows. Where it keeps no list, the name alone is the model. */
const find: Capability<Grant, Name, ModelPermit<Name>, "model.find"> = {
  capability: "model",
  read: ([provider, id]) => ({ provider, id }),
  check: (asked, grant) => ModelPermit.check(asked, grant, asked.provider),
  async perform({ asked: { provider, id } }, { session }) {
    const found = session.model?.findModel;
    return found ? ((await found.call(session.model, provider, id)) ?? null) : { provider, id, name: id };
  },
  describe: ({ provider, id }) => `${quoted(provider)} ${quoted(id)}`,
  propose: ({ provider }) => [provider],
  waits: false,
  perMinute: () => 600,
};

export const model = {
  "model.complete": sealed(complete),
  "model.find": sealed(find),
  "model.resolveApiKey": sealed(resolveApiKey),
};
