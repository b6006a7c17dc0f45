import { defaultHome } from "../home.ts";
import { installRuntime } from "../runtime/install.ts";
import { print, printJson, say } from "./print.ts";

/** `cordon runtime install`. */
export async function runtimeInstall(options: { json?: boolean }): Promise<void> {
  const runtime = await installRuntime(defaultHome(), (step) => {
    if (!options.json) say`${step} …`;
  });
  if (options.json) printJson(runtime);
  else print`sandboxes now run on ${runtime.node}`;
}
