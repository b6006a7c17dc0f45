import { COMMAND_AGENTS, commandAgent } from "../agents/command/index.ts";
import { messageOf } from "../base/errors.ts";
import { builtForHost } from "../base/package-root.ts";
import { defaultHome } from "../disk/home.ts";
import { endFailed, runShim } from "../shim/shim.ts";
import { unknownAgent } from "./common.ts";

/** `cordon hook AGENT`: what the installed entries do, for one's own settings and for trying it out. */
export async function hook(
  name: string,
  { event = "", note = false, wait = 60 }: { event?: string; note?: boolean; wait?: number },
) {
  const agent = commandAgent(name);
  const names = COMMAND_AGENTS.map((one) => one.name);
  if (!agent) throw unknownAgent(name, names);
  const asked = { agent: agent.name, kind: note ? "note" : "gate", event } as const;
  let home: string;
  try {
    home = defaultHome();
  } catch (error) {
    // Of most other codes than that of a block, agents let the call pass.
    endFailed(asked, messageOf(error));
    return;
  }
  const daemon = [process.execPath, builtForHost("cli", "start.js")] as const;
  await runShim({ ...asked, home, daemon, parent: process.ppid, wait: wait * 1000 });
}
