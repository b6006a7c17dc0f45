/**
 * Put in place of the errors' names by the build of the runtime: what it throws, a hook catches, for whom
 * `instanceof Error` must hold.
 */
import { realm } from "./primordials.ts";

const { Error, EvalError, RangeError, TypeError } = realm;

export { Error, EvalError, RangeError, TypeError };
