import { resolve } from "node:path";
import { defaultHome } from "../disk/home.ts";
import { npmOptions } from "../market/npm-config.ts";
import { installRuntime } from "../runtime/install.ts";
import { note } from "./common.ts";
import { printResult, say } from "./print.ts";

/** `cordon runtime install`. */
export async function runtimeInstall(options: { json?: boolean }): Promise<void> {
  const progress = (step: string): void => {
    if (!options.json) say`${step} …`;
  };
  const runtime = await installRuntime(defaultHome(), progress, await npmOptions(resolve("."), note));
  printResult(options, `sandboxes now run on ${runtime.node}`, runtime);
}
