/** An error as Node's own modules throw it, with a `code`. `more`: its other properties. */
export const fault = (kind: ErrorConstructor, code: string, message: string, more: object = {}): Error =>
  Object.assign(new kind(message), { code, ...more });

/** The error for an argument of another type. `types`: what it must be. */
export const wrongType = (argument: string, types: string): Error =>
  fault(TypeError, "ERR_INVALID_ARG_TYPE", `The "${argument}" argument must be ${types}.`);

/** The system's error for a number that no open file has, or none that is open for such a call. */
export const badNumber = (syscall: string): Error =>
  fault(Error, "EBADF", `EBADF: bad file descriptor, ${syscall}`, { errno: -9, syscall });

/** The error for parts of Node that hooks do not get. */
export const unavailable = (message: string): Error => fault(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", message);

/** The error of an operation that a signal aborted. */
export const aborted = (options?: ErrorOptions): Error =>
  Object.assign(new Error("The operation was aborted", options), { name: "AbortError", code: "ABORT_ERR" });
