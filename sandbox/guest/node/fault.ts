/** An error as Node's own modules throw it: known by its `code`. `more`: what else it says of itself. */
export const fault = (kind: ErrorConstructor, code: string, message: string, more: object = {}): Error =>
  Object.assign(new kind(message), { code, ...more });

/** For what Node offers and hooks are not offered. */
export const unavailable = (message: string): Error => fault(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", message);

/** For what an abort signal ended. */
export const aborted = (options?: ErrorOptions): Error =>
  Object.assign(new Error("The operation was aborted", options), { name: "AbortError", code: "ABORT_ERR" });
