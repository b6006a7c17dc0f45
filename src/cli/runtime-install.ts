import { resolve } from "node:path";
import { defaultHome } from "../disk/home.ts";
import { npmOptions } from "../market/npm-config.ts";
import { installRuntime } from "../runtime/install.ts";
import { download, note } from "./common.ts";
import { printResult } from "./print.ts";

/** `cordon runtime install`. */
export async function runtimeInstall(options: { json?: boolean }): Promise<void> {
  const tell = options.json ? () => {} : download;
  const runtime = await installRuntime(defaultHome(), tell, await npmOptions(resolve("."), note));
  printResult(options, `sandboxes now run on ${runtime.node}`, runtime);
}
