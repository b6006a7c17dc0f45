import { join } from "node:path";
import { PACKAGE_ROOT } from "../base/package-root.ts";
import { command } from "../base/shell-word.ts";

/** What adds a hook that comes with Cordon, for who has none yet. */
export const ADD_EXAMPLE = `to begin with an example, run: ${command`cordon add ${join(PACKAGE_ROOT, "hooks", "command-safety-guard.ts")}`}`;
