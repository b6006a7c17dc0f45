/** What a body is made of that has a type of its own: bytes, and their content type. */
export interface TypedBytes {
  readonly bytes: Uint8Array;
  readonly type: string;
}

const makers = new WeakMap<object, () => TypedBytes>();

/** Makes an object one that can be a body. Its class is then no part of bundles that only send text. */
export const asBody = (object: object, make: () => TypedBytes): void => void makers.set(object, make);

/** The body that an object is; `undefined` for any other value. */
export const typedBytes = (value: unknown): TypedBytes | undefined =>
  typeof value === "object" && value !== null ? makers.get(value)?.() : undefined;
