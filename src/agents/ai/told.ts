/** An error whose text for the model is its message: `ai` 7 would put the name of its class before that. */
export function told<Thrown extends Error>(error: Thrown): Thrown {
  Object.defineProperty(error, "toString", { value: () => error.message });
  return error;
}
