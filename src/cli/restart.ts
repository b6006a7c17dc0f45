import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { realPathOf } from "../discover/paths.ts";
import { defaultHome } from "../home.ts";
import { requestRestart } from "../restart-request.ts";
import { print, printJson } from "./print.ts";

/** `cordon restart ID`: hosts that run take notice when the hook would next block a call. */
export function restart(name: string, options: { json?: boolean }): void {
  // A hook without a package has its real path as id.
  const id = existsSync(name) ? realPathOf(resolve(name)) : name;
  requestRestart(defaultHome(), id);
  if (options.json) printJson({ id, requested: true });
  else print`${id}: running hosts restart it at the next call it would block`;
}
