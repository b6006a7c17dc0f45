/** The exports of a bundle. */
export type Namespace = Record<string, unknown>;

/** The default export, also if CommonJS code names one itself. All exports, if there is no default. */
export function defaultOf(namespace: Namespace): unknown {
  const exported = "default" in namespace ? namespace.default : namespace;
  const inner = isObject(exported) ? exported.default : undefined;
  return inner === undefined ? exported : inner;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
