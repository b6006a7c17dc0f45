/** The `performance` of `node:perf_hooks`, which is the global one. */
export const performance = globalThis.performance;
