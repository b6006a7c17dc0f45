import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { historyIn } from "../audit/history.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { requestRestart } from "../session/restart-request.ts";
import { hooksHere } from "./here.ts";
import { hookNamed, type Named, printedAs, shortName } from "./names.ts";
import { printResult } from "./print.ts";

/** `cordon restart ID`: running hosts see the request when the hook would next block a call. */
export async function restart(name: string, options: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const cwd = resolve(".");
  const here: Named[] = hooksHere(cwd, home);
  const printed = printedAs(name, here);
  // Hooks that only an agent names are known from the audit log.
  for (const [id, { lastUse, crashes }] of await historyIn(home))
    if (id !== "" && (lastUse !== undefined || crashes > 0) && !here.some((hook) => hook.id === id))
      here.push({ id, key: id, path: id, recorded: true });
  const file = existsSync(name) ? realPathOf(resolve(name)) : "";
  // A hook without a package has its real path as id. A host may know it from its command line only.
  if (file !== "" && !here.some((hook) => hook.key === file)) here.push({ id: file, key: file, path: name });
  const hook = printed ?? hookNamed(name, here, file);
  requestRestart(home, hook.id);
  const sentence = `${printed ? name : shortName(hook, here)}: asked; a session that has it restarts it at the next call it would block`;
  printResult(options, sentence, { id: hook.id, requested: true });
}
