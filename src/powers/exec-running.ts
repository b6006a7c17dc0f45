/** Programs under way that were told paths, by the hook that asked for them. */
const running = new WeakMap<object, number>();

/**
 * Counts a program that opens files by their paths, until the answer is called. Where these lead was looked at before it starts: its hook
 * moves and makes nothing meanwhile that could lead them elsewhere.
 */
export function holdPaths(hook: object): () => void {
  running.set(hook, (running.get(hook) ?? 0) + 1);
  return () => running.set(hook, (running.get(hook) ?? 1) - 1);
}

export const holdsPaths = (hook: object): boolean => (running.get(hook) ?? 0) > 0;
