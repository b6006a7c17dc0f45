/** The parts of `process` that `readable-stream` uses. */
export const nextTick = (callback: (...args: unknown[]) => void, ...args: unknown[]): void =>
  queueMicrotask(() => callback(...args));

export const env = {};
export const stdout = undefined;
export const stderr = undefined;
export default { nextTick, env, stdout, stderr };
