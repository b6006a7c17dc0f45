/**
 * The build of the runtime replaces the names of the error classes with these. Hooks catch the runtime's errors, and
 * `instanceof Error` must be true for them.
 */
import { realm } from "./primordials.ts";

const { Error: AnyError, EvalError: NoEval, RangeError: OutOfRange, TypeError: WrongType } = realm;

export { AnyError as Error, NoEval as EvalError, OutOfRange as RangeError, WrongType as TypeError };
