import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { realPathOf } from "../discover/paths.ts";
import { defaultHome } from "../home.ts";
import { requestRestart } from "../restart-request.ts";
import { printJson } from "./common.ts";

/** `cordon restart ID`: hosts that run take notice when the hook would next block a call. */
export function restart(name: string, options: { json?: boolean }): void {
  // A hook without a package has its real path as id.
  const id = existsSync(name) ? realPathOf(resolve(name)) : name;
  requestRestart(defaultHome(), id);
  if (options.json) printJson({ id, requested: true });
  else process.stdout.write(`${id}: running hosts restart it at the next call it would block\n`);
}
