import Type from "typebox";
import { type Capability, letThrough } from "./capability.ts";

/** Providers whose keys the hook may have. */
export const modelGrant = Type.Array(Type.String({ minLength: 1, maxLength: 64 }));
type Grant = string[];
type Request = { provider: string; model: unknown };

const resolveApiKey: Capability<Grant, Request> = {
  capability: "model",
  request: Type.Tuple([Type.Object({ provider: Type.String({ maxLength: 64 }) })]),
  read: ([model]) => ({ provider: (model as { provider: string }).provider, model }),
  check: (asked, grant) => (grant?.includes(asked.provider) ? letThrough(asked) : undefined),
  async perform({ model }, { hook, session, event }) {
    const resolve = event?.resolveApiKey ?? session.model?.resolveApiKey?.bind(session.model);
    const key = await resolve?.(model, { hook: hook.id });
    return typeof key === "string" ? key : undefined;
  },
  describe: ({ provider }) => provider,
  widen: ({ provider }, grant) => [...(grant ?? []), provider],
  waits: true,
  perMinute: () => 60,
};

export const model = { "model.resolveApiKey": resolveApiKey };
