/** The package of that name, which `readable-stream` asks for: the globals stand for it. */
const { AbortController, AbortSignal } = globalThis;

export { AbortController, AbortSignal };
export default AbortController;
