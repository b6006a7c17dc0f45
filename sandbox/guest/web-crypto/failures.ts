/** What a promise of `crypto.subtle` is rejected with. */
type Failure = "DataError" | "InvalidAccessError" | "NotSupportedError" | "OperationError" | "SyntaxError";

export const failed = (name: Failure, message: string): Error => new DOMException(message, name);
