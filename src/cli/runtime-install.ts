import { resolve } from "node:path";
import { defaultHome } from "../home.ts";
import { npmOptions } from "../market/npm-config.ts";
import { installRuntime } from "../runtime/install.ts";
import { note, printJson } from "./common.ts";

/** `cordon runtime install`. */
export async function runtimeInstall(options: { json?: boolean }): Promise<void> {
  const runtime = await installRuntime(
    defaultHome(),
    (step) => {
      if (!options.json) process.stderr.write(`${step} …\n`);
    },
    await npmOptions(resolve("."), note),
  );
  if (options.json) printJson(runtime);
  else process.stdout.write(`sandboxes now run on ${runtime.node}\n`);
}
