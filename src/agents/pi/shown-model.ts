import type { PiModel } from "./pi-api.ts";

/** A model without its headers, which may hold keys. */
export const shownModel = (model: PiModel | undefined): object | undefined => {
  if (!model) return undefined;
  const { headers: _headers, ...shown } = model;
  return shown;
};
