import { cleanLine } from "../base/text.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { type Capability, type Circumstances, sealed } from "./capability.ts";
import { type ProviderPart, type ProvidersGrant, providersPower } from "./provider-grant.ts";
import { isOwn } from "./provider-names.ts";
import { quoted } from "./quoted.ts";
import { type VirtualModel, virtualName } from "./virtual-model.ts";

const MAX_VIRTUAL_MODELS = 20;

const partOf = ({ provider }: VirtualModel, { session }: Pick<Circumstances, "session">): ProviderPart => ({
  name: provider,
  routes: true,
  ...(isOwn(provider, session.agent?.providers) ? { replaces: true as const } : {}),
});

const register: Capability<"providers.registerVirtual", ProvidersGrant, VirtualModel> = {
  read: ([model]) => {
    for (const shown of [model.provider, model.id, model.name])
      if (cleanLine(shown, 200) !== shown) throw new TypeError("a model's name has characters that are not seen");
    return toPlain(model);
  },
  check: (model, grant, circumstances) =>
    providersPower.covers(grant, [partOf(model, circumstances)]) ? model : undefined,
  async perform({ checked: model }, { hook, session, last }) {
    const name = virtualName(model.provider, model.id);
    const { end, gone } = session.virtualModels.add(hook.id, name, model, MAX_VIRTUAL_MODELS);
    last(end, gone);
    return null;
  },
  describe: ({ provider, id }) => `choose a model for ${quoted(virtualName(provider, id))}`,
  propose: (model, circumstances) => [partOf(model, circumstances)],
  perMinute: () => 120,
};

/** Ends a model of the hook's own: needs no grant. */
const unregister: Capability<"providers.unregisterVirtual", ProvidersGrant, string> = {
  read: ([provider, id]) => virtualName(provider, id),
  check: (name) => name,
  async perform({ checked: name }, { hook, session }) {
    session.virtualModels.remove(hook.id, name);
    return null;
  },
  describe: quoted,
  perMinute: () => 120,
};

export const virtualModels = {
  ...sealed("providers.registerVirtual", register),
  ...sealed("providers.unregisterVirtual", unregister),
};
