/** The package of that name, which `readable-stream` asks for: the globals stand for it. */
const { AbortController, AbortSignal } = globalThis as unknown as Record<"AbortController" | "AbortSignal", unknown>;

export { AbortController, AbortSignal };
export default AbortController;
