/** A value whose JSON was made in parts, as UTF-8: made as one text, it would hold the agent's event loop. */
export class LargeValue {
  readonly json: readonly Buffer[];

  constructor(json: readonly Buffer[]) {
    this.json = json;
  }
}

/** A text, or its parts as UTF-8. */
export type TextOrParts = string | readonly Buffer[];

/** The JSON of a message whose last member, however deep, is this value. */
export function jsonEndingWith(value: unknown, message: (value: unknown) => object): TextOrParts {
  if (!(value instanceof LargeValue)) return JSON.stringify(message(value));
  const text = JSON.stringify(message(null));
  const at = text.lastIndexOf("null");
  return [Buffer.from(text.slice(0, at)), ...value.json, Buffer.from(text.slice(at + "null".length))];
}
