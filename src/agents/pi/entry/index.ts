/** `cordon/pi`: Cordon as an extension of pi 0.87 and later. */
import { createRequire } from "node:module";
import type { PiOptions } from "../adapter.ts";
import type { PiApi } from "../pi-api.ts";
import type { PiSdk } from "../pi-sdk.ts";

export type { PiOptions } from "../adapter.ts";

// pi loads extensions through jiti, which would translate each file of Cordon. Node loads them as they are.
const { PiAdapter } = createRequire(__filename)("../adapter.js") as typeof import("../adapter.ts");

/** The package of the pi that runs: jiti finds it by this name in files that it translates. The build makes this one such. */
const PI: string = "@earendil-works/pi-coding-agent";
const sdk = (): Promise<PiSdk> => import(PI);

/** Makes an extension of pi that runs these hooks: `export default cordon({ hooks: ["./gate.ts"] })`. */
export const cordon =
  (options: PiOptions = {}) =>
  (pi: PiApi): Promise<void> =>
    new PiAdapter(pi, options, sdk).load();

/**
 * Runs the hooks that `cordon list` shows. `isProbe`: `cordon doctor` asks whether Cordon starts here; then no hook runs, since a
 * made-up call is nothing to use a power for.
 */
export default (pi: PiApi, isProbe = false): Promise<void> =>
  cordon(isProbe ? { discover: false, trial: "alone" } : {})(pi);
