/** What hooks import from `@mariozechner/pi-ai` besides types, as far as it computes only. */

/** A JSON schema for one of several texts. */
export function StringEnum<T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
) {
  return { type: "string", enum: values, ...options };
}
