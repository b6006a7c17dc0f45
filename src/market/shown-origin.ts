import { cleanLine } from "../base/text.ts";

const NPMS = "https://registry.npmjs.org/";

/** Where a package comes from, as a person reads it: with the registry, where it is not npm's own. */
export const shownOrigin = (origin: string, registry: string | undefined): string =>
  registry === undefined || registry === NPMS ? origin : `${origin} at ${cleanLine(registry, 200)}`;
