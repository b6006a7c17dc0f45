import { resolve } from "node:path";
import { defaultHome } from "../disk/home.ts";
import { npmOptions } from "../market/npm-config.ts";
import { installRuntime } from "../runtime/install.ts";
import { note } from "./common.ts";
import { print, printJson, say } from "./print.ts";

/** `cordon runtime install`. */
export async function runtimeInstall(options: { json?: boolean }): Promise<void> {
  const runtime = await installRuntime(
    defaultHome(),
    (step) => {
      if (!options.json) say`${step} …`;
    },
    await npmOptions(resolve("."), note),
  );
  if (options.json) printJson(runtime);
  else print`sandboxes now run on ${runtime.node}`;
}
