/** Without the JIT, hooks have no way to machine code. Only a grant gives it. */
export const JITLESS = "--jitless";

/**
 * Node starts without its own snapshot, as isolated-vm asks: isolates of one process share V8's read-only objects, and those of
 * the two snapshots may differ. A code cache for its isolates is made with this.
 */
export const NO_OWN_SNAPSHOT = "--no-node-snapshot";

/** What V8 is told in a sandbox process. A code cache fits the Node and the flags that it was made with. */
export const V8_FLAGS: readonly string[] = [JITLESS, "--max-semi-space-size=1"];
