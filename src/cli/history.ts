import { existsSync } from "node:fs";
import { join } from "node:path";
import { readAudit } from "../audit/verify.ts";

/** What the audit says of a hook. */
export interface History {
  /** When it last heard or did something. */
  lastUse?: string;
  crashes: number;
  lastRefusal?: string;
  /** What it last blocked, and why. */
  lastBlock?: { time: string; what: string };
  /** The last session that had it stopped it, after too many crashes. */
  stopped: boolean;
  /** Powers it used, and when it last did. */
  used: Map<string, string>;
}

/** By the hooks' ids. */
export async function historyIn(home: string): Promise<ReadonlyMap<string, History>> {
  const folder = join(home, "audit");
  const histories = new Map<string, History>();
  if (!existsSync(folder)) return histories;
  for await (const { line } of readAudit(folder)) {
    const known: History = histories.get(line.hook) ?? { crashes: 0, stopped: false, used: new Map() };
    histories.set(line.hook, known);
    const { event, outcome, capability } = line;
    if (event === "crash" && outcome === "stopped") known.stopped = true;
    else if (event === "crash" && outcome !== "restarted") known.crashes++;
    else if (outcome === "NOT_GRANTED") known.lastRefusal = `${capability ?? event} ${line.value ?? ""}`.trim();
    // Looking at a hook loads it, too.
    else if (event !== "load" && event !== "crash") {
      known.lastUse = line.time;
      if (outcome === "block") known.lastBlock = { time: line.time, what: line.value ?? "" };
      // A call is also blocked on behalf of a hook that is down.
      if (outcome !== "block" && outcome !== "withheld") known.stopped = false;
      if (capability !== undefined) known.used.set(capability.replace(/\..*/, ""), line.time);
    }
  }
  return histories;
}
