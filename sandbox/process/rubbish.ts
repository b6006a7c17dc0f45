/** Of shorter texts V8 itself collects enough. In characters. */
export const LONG_TEXT = 16 * 1024;
/** How much of long texts passes before V8 is made to collect, in characters. */
const MOST = 4 * 1024 * 1024;

/** Taken from `process` before hooks run. */
const { getBuiltinModule } = process;

let passed = 0;
let collect: (() => void) | undefined;

/**
 * Long texts and bytes lie outside V8's heap, and V8 does not count them. Unused ones would fill the memory of this process, so each long
 * text that passes is counted here, and V8 is made to collect after {@link MOST} characters.
 */
export function longTextPassed(length: number): void {
  passed += length;
  if (passed <= MOST) return;
  passed = 0;
  collect ??= collector();
  collect();
}

/** No isolate of a hook gets the function: none is made meanwhile. */
function collector(): () => void {
  const { setFlagsFromString } = getBuiltinModule("node:v8");
  setFlagsFromString("--expose-gc");
  const found = getBuiltinModule("node:vm").runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return found;
}
