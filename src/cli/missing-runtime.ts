import { CordonError } from "../base/errors.ts";
import { runtimeMegabytes } from "../runtime/install.ts";
import { locateRuntime } from "../runtime/locate.ts";

/**
 * What sandboxes run on, if it is not here and can be fetched. `undefined` also where `CORDON_RUNTIME` names a folder, which
 * goes before all that is fetched.
 */
export async function missingRuntime(
  home: string,
  workspaces: readonly string[],
): Promise<{ megabytes: number } | undefined> {
  const megabytes = runtimeMegabytes();
  if (megabytes === undefined || process.env.CORDON_RUNTIME) return undefined;
  try {
    await locateRuntime({ home, workspaces });
    return undefined;
  } catch (error) {
    if (!(error instanceof CordonError) || error.code !== "NO_RUNTIME") throw error;
    return { megabytes };
  }
}
