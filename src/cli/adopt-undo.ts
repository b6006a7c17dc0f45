import { type Adopted, putBack, readAdopted } from "../agents/setup/adopted.ts";
import { setupsOf } from "../agents/setup/setups.ts";
import { uninstall } from "../market/install.ts";
import { readInstalled } from "../store/journal.ts";
import { askWhether } from "./ask.ts";
import { Refused } from "./common.ts";
import { setupNamed } from "./install.ts";
import { print, printJson } from "./print.ts";
import { onTerminal } from "./terminal.ts";

/** `cordon adopt AGENT --undo`: puts everything back, and removes it from Cordon. */
export async function giveBack(name: string, home: string, flags: { dryRun?: boolean; json?: boolean }): Promise<void> {
  const { title } = setupNamed(name);
  const names = new Set(setupsOf(name).map((one) => one.name));
  const all = readAdopted(home).filter(({ agent }) => names.has(agent));
  if (flags.dryRun || flags.json) return printJson({ agent: title, adopted: all });
  if (all.length === 0) return print`nothing of ${title} was moved into Cordon`;
  for (const one of all) print`${one.hooks.join(", ")}: from ${one.entry.file}`;
  const message = `Shall ${title} run this again, with all its rights and without Cordon?`;
  const yes = await onTerminal(
    async (terminal) => {
      return askWhether(message, terminal);
    },
    () => {
      throw new Refused("giving code back to an agent takes a terminal with a person at it; --dry-run lists it");
    },
  );
  if (!yes) throw new Refused("nothing was changed");
  for (const one of all.reverse()) giveOneBack(one, home);
  print`given back`;
}

/** First the agent has it: there is no moment in which nobody runs it. */
function giveOneBack(one: Adopted, home: string): void {
  const installed = readInstalled(home);
  putBack(home, one);
  for (const hook of one.hooks) if (installed.has(hook)) uninstall(home, hook);
}
