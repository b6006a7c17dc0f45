import registryFetch from "npm-registry-fetch";

/** npm's own settings: registries, tokens, proxies. */
export type NpmOptions = Record<string, unknown>;

/** The registry that a package comes from, by its scope. Secrets in its URL are removed. */
export function registryOf(name: string, options: NpmOptions): string {
  const { origin, pathname } = new URL(registryFetch.pickRegistry(name, options));
  return `${origin}${pathname.endsWith("/") ? pathname : `${pathname}/`}`;
}
