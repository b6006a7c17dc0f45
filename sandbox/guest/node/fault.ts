/** An error as Node's own modules throw it, with a `code`. `more`: its other properties. */
export const fault = (kind: ErrorConstructor, code: string, message: string, more: object = {}): Error =>
  Object.assign(new kind(message), { code, ...more });

/** The error for parts of Node that hooks do not get. */
export const unavailable = (message: string): Error => fault(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", message);

/** The error of an operation that a signal aborted. */
export const aborted = (options?: ErrorOptions): Error =>
  Object.assign(new Error("The operation was aborted", options), { name: "AbortError", code: "ABORT_ERR" });
