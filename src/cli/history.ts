import { existsSync } from "node:fs";
import { join } from "node:path";
import { readAudit } from "../audit/verify.ts";

/** What the audit log says about a hook. */
export interface History {
  /** When it last handled an event or used a power. */
  lastUse?: string;
  crashes: number;
  lastRefusal?: string;
  /** What it last blocked, and why. */
  lastBlock?: { time: string; what: string };
  /** Its last session stopped it, after too many crashes. */
  stopped: boolean;
  /** The powers that it used, and when it last used each. */
  used: Map<string, string>;
}

/** The history of each hook, by id. */
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
    // Commands that only look at a hook load it, too.
    else if (event !== "load" && event !== "crash") {
      known.lastUse = line.time;
      if (outcome === "block") known.lastBlock = { time: line.time, what: line.value ?? "" };
      // Cordon also blocks calls in the name of a hook that is down.
      if (outcome !== "block" && outcome !== "withheld") known.stopped = false;
      if (capability !== undefined) known.used.set(capability.replace(/\..*/, ""), line.time);
    }
  }
  return histories;
}
