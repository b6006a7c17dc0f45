import { ownFfi } from "./native.ts";

/** What this needs of `node:v8` and `node:vm`. */
interface Engine {
  setFlagsFromString(flags: string): void;
  runInNewContext(code: string): unknown;
}

type Collect = (how: { type: "major"; flavor: "last-resort" }) => void;

let gc: Collect | undefined;

/** V8's own function: it is in the realms that are made while its flag is set. No isolate is made meanwhile. */
function exposed({ setFlagsFromString, runInNewContext }: Engine): Collect {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as Collect;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}

/**
 * Returns a function that gives the system back what the C library keeps of freed memory: Node's start leaves 1 MB. `undefined` where
 * there is no such function. To be called while the process may use its `node:ffi`.
 */
export function releasing(): (() => void) | undefined {
  try {
    const { malloc_trim } =
      ownFfi()?.dlopen(null, { malloc_trim: { return: "i32", arguments: ["u64"] } }).functions ?? {};
    return malloc_trim && (() => void malloc_trim(0n));
  } catch {
    // A C library without it, as Alpine's.
    return undefined;
  }
}

/**
 * Collects the garbage of this process, not of its isolates, in about 5 ms. V8 looks for garbage when memory is asked for. A process
 * that waits asks for none, and would keep what Node's start and the bundles left.
 */
export function collect(engine: Engine): void {
  gc ??= exposed(engine);
  gc({ type: "major", flavor: "last-resort" });
}
