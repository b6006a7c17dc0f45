import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";

/** A model in the list, for which a hook chooses another one at each request. In pi's shape. */
export type VirtualModel = ArgumentsOf<"providers.registerVirtual">[0];

/** A model's name in the list of what hooks added. */
export const virtualName = (provider: string, id: string): string => `${provider}/${id}`;
