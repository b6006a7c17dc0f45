import { type LoginStep, MAX_PROVIDERS, type StreamNote } from "../../sandbox/wire/providers.ts";
import { type Capability, sealed } from "./capability.ts";
import { configOf, type ProviderConfig, partsOf } from "./provider-config.ts";
import { type ProviderPart, type ProvidersGrant, providersPower } from "./provider-grant.ts";
import { isOwn } from "./provider-names.ts";
import { quoted } from "./quoted.ts";
import { virtualModels } from "./virtual-models.ts";

interface Added {
  readonly name: string;
  readonly config: ProviderConfig;
}

/** A part of what is asked for, as a person reads it. */
const shown = ({ url, streams, login, replaces }: ProviderPart): string =>
  [
    ...(replaces ? ["in the place of the agent's own"] : []),
    ...(url === undefined ? [] : [`at ${quoted(url)}`]),
    ...(streams ? ["answered by the hook"] : []),
    ...(login ? ["with a sign-in"] : []),
  ].join(" ");

const register: Capability<"providers.register", ProvidersGrant, Added> = {
  read: ([name, config]) => ({ name, config: configOf(config) }),
  check: ({ name, config }, grant, { session }) =>
    providersPower.covers(grant, partsOf(name, config, isOwn(name, session.agent?.providers)))
      ? { name, config }
      : undefined,
  async perform({ checked: { name, config } }, { hook, session, last }) {
    const { end, gone } = session.providers.add(hook.id, name, config, MAX_PROVIDERS);
    last(end, gone);
    return null;
  },
  describe: ({ name, config }) =>
    [quoted(name), ...new Set(partsOf(name, config, isOwn(name)).map(shown))].filter((part) => part !== "").join(", "),
  propose: ({ name, config }, { session }) => partsOf(name, config, isOwn(name, session.agent?.providers)),
  perMinute: () => 120,
};

/** Ends a provider of the hook's own: needs no grant. */
const unregister: Capability<"providers.unregister", ProvidersGrant, string> = {
  read: ([name]) => name,
  check: (name) => name,
  async perform({ checked: name }, { hook, session }) {
    session.providers.remove(hook.id, name);
    return null;
  },
  describe: quoted,
  perMinute: () => 120,
};

/** A part of an answer, while its code runs for the agent. */
const answer: Capability<"providers.answer", ProvidersGrant, string> = {
  read: ([text]) => text,
  check: (text, grant) => (grant ? text : undefined),
  async perform({ checked: text }, { event }) {
    if (!event?.provider?.answer) throw new Error("nobody waits for an answer of a provider");
    await event.provider.answer(text);
    return null;
  },
  describe: () => "a part of an answer",
  perMinute: () => 6000,
};

const tell: Capability<"providers.tell", ProvidersGrant, { step: StreamNote | LoginStep; text: string }> = {
  read: ([step, text]) => ({ step, text }),
  check: (asked, grant) => (grant ? asked : undefined),
  async perform({ checked: { step, text } }, { event, signal }) {
    if (!event?.provider?.tell) throw new Error("nobody waits for a provider");
    return event.provider.tell(step, text, signal);
  },
  describe: ({ step }) => step,
  // A person reads a question, and answers it.
  waits: "person",
  perMinute: () => 6000,
};

export const providers = {
  ...virtualModels,
  ...sealed("providers.register", register),
  ...sealed("providers.unregister", unregister),
  ...sealed("providers.answer", answer),
  ...sealed("providers.tell", tell),
};
