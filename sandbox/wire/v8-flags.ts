/** Without the JIT, hooks have no way to machine code. Only a grant gives it. */
export const JITLESS = "--jitless";

/** What V8 is told in a sandbox process. A code cache fits the Node and the flags that it was made with. */
export const V8_FLAGS: readonly string[] = ["--no-node-snapshot", JITLESS, "--max-semi-space-size=1"];
