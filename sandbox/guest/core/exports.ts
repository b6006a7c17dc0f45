/** What a bundle exports. */
export type Namespace = Record<string, unknown>;

/** The default export, also of CommonJS that names one itself; all exports where there is none. */
export function defaultOf(namespace: Namespace): unknown {
  const exported = "default" in namespace ? namespace.default : namespace;
  const inner = isObject(exported) ? exported.default : undefined;
  return inner === undefined ? exported : inner;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
