import { resolve } from "node:path";
import { defaultHome } from "../disk/home.ts";
import { installedRuntime, installRuntime, runtimeMegabytes } from "../runtime/install.ts";
import { download, note } from "./common.ts";
import { printResult, say } from "./print.ts";

/** `cordon runtime install`. */
export async function runtimeInstall(options: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const there = await installedRuntime(home);
  if (there) {
    const sentence = `already there: sandboxes run on ${there.node}; to fetch it again, remove ${there.origin} first`;
    printResult(options, sentence, there);
    return;
  }
  const tell = options.json ? () => {} : download;
  const megabytes = runtimeMegabytes();
  if (!options.json && megabytes !== undefined) say`fetches 2 packages, ${megabytes} MB`;
  const { npmOptions } = await import("../market/npm-config.ts");
  const runtime = await installRuntime(home, tell, await npmOptions(resolve("."), note));
  printResult(options, `sandboxes now run on ${runtime.node}`, runtime);
}
