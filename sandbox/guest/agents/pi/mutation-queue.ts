const mutations = new Map<string, Promise<unknown>>();

/**
 * Runs changes of one file, by the name that it is called by, one after the other. Those of different files run side by
 * side.
 */
export function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T> {
  const before = mutations.get(path) ?? Promise.resolve();
  const done = before.then(change);
  const settled = done.catch(() => {});
  mutations.set(path, settled);
  void settled.then(() => {
    if (mutations.get(path) === settled) mutations.delete(path);
  });
  return done;
}
