/** `node:timers`: the global functions. */
import promises from "./timers-promises.ts";

const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;

export { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
export default { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises };
