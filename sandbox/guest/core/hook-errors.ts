/**
 * Put in place of the errors' names by the build of the runtime: what it throws, a hook catches, for whom
 * `instanceof Error` must hold.
 */
import { realm } from "./primordials.ts";

const { Error: AnyError, EvalError: NoEval, RangeError: OutOfRange, TypeError: WrongType } = realm;

export { AnyError as Error, NoEval as EvalError, OutOfRange as RangeError, WrongType as TypeError };
