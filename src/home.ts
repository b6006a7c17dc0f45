import { homedir } from "node:os";
import { join } from "node:path";

/** Cordon's folder of the user's: `$CORDON_HOME` or `~/.cordon`. Holds grants, bundles, the audit and the runtime. */
export const defaultHome = (): string => process.env.CORDON_HOME || join(homedir(), ".cordon");
