/** Replaces the package `abort-controller`, which `readable-stream` imports, with the globals. */
const { AbortController, AbortSignal } = globalThis;

export { AbortController, AbortSignal };
export default AbortController;
