/** `cordon/pi`: Cordon as an extension of pi 0.87 and later. */
import { createRequire } from "node:module";
import type { PiOptions } from "./adapter.ts";
import type { PiApi } from "./pi-api.ts";

export type { PiOptions } from "./adapter.ts";

// pi loads extensions through jiti, which would translate each file of Cordon. Node loads them as they are.
const { PiAdapter } = createRequire(import.meta.url)("./adapter.js") as typeof import("./adapter.ts");

/** Makes an extension of pi that runs these hooks: `export default cordon({ hooks: ["./gate.ts"] })`. */
export const cordon =
  (options: PiOptions = {}) =>
  (pi: PiApi): Promise<void> =>
    new PiAdapter(pi, options).load();

/** Runs the hooks that `cordon list` shows. */
export default cordon();
