import registryFetch from "npm-registry-fetch";
import { cleanLine } from "../base/text.ts";

/** npm's own settings: registries, tokens, proxies. */
export type NpmOptions = Record<string, unknown>;

/** The registry that a package comes from, by its scope. Secrets in its URL are removed. */
export function registryOf(name: string, options: NpmOptions): string {
  const { origin, pathname } = new URL(registryFetch.pickRegistry(name, options));
  return `${origin}${pathname.endsWith("/") ? pathname : `${pathname}/`}`;
}

const NPMS = "https://registry.npmjs.org/";

/** Where a package comes from, as a person reads it: with the registry, where it is not npm's own. */
export const shownOrigin = (origin: string, registry: string | undefined): string =>
  registry === undefined || registry === NPMS ? origin : `${origin} at ${cleanLine(registry, 200)}`;
