import { recordedAgents } from "../disk/open-agents.ts";
import { ancestorsOf, processName } from "../disk/process-tree.ts";
import { askDaemon, type DaemonStatus } from "../shim/ask-daemon.ts";
import { Refused } from "./common.ts";

/**
 * Refuses what only a person may decide where an agent started this command: it has a terminal, too. A process counts as an
 * agent's from its first event on. Where there is no `/proc`, only the terminal is asked for.
 */
export async function refuseBelowAgent(home: string, what: string): Promise<void> {
  if (await isBelowAgent(home))
    throw new Refused(
      `${what} is for a person: this command was started by an agent, whose process asked Cordon about calls; use another terminal`,
    );
}

/** True if an agent with an open session started this command, as far as `/proc` shows it. */
export async function isBelowAgent(home: string): Promise<boolean> {
  const status = (await askDaemon(home, "status")) as DaemonStatus | undefined;
  const agents = new Set([...(status?.agents ?? []), ...recordedAgents(home)]);
  return ancestorsOf(process.pid).some((pid) => agents.has(processName(pid)));
}
