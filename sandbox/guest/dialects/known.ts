/** Leaves out properties that are `undefined`: hooks look with `in` and list keys. */
export const known = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
