import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { inHome } from "../disk/home.ts";
import { type AuditLine, isDecision } from "./line.ts";
import { runningChains } from "./own-chain.ts";
import { readChains } from "./read.ts";

/** What the audit log says about a hook. */
export interface History {
  /** The file of a hook that was last loaded as one that is named, and has another id: commands take that. */
  file?: string;
  /** When it last handled an event or used a power. */
  lastUse?: string;
  /** When it last gave a verdict other than a block, or used a power: it ran then. */
  lastRun?: string;
  crashes: number;
  /** What it was refused last, unless it was allowed the same since. */
  lastRefusal?: { time: string; what: string };
  /** What it last blocked, and why. */
  lastBlock?: { time: string; what: string };
  /** Its last session stopped it, after too many crashes. `over`: that session's process is gone, so it blocks nowhere. */
  stopped?: "running" | "over";
  /** All lines about it are of trials. */
  onlyTried: boolean;
  /** The powers that it used, and when it last used each. */
  used: Map<string, string>;
}

/** The history of each hook, by id. */
export async function historyIn(home: string): Promise<ReadonlyMap<string, History>> {
  const folder = inHome(home, "audit");
  const histories = new Map<string, History>();
  if (!existsSync(folder)) return histories;
  const running = runningChains(folder);
  for await (const { line, chain } of readChains(folder)) {
    // Cordon itself is no hook.
    if (line.hook === "") continue;
    const known = histories.get(line.hook) ?? newHistory();
    histories.set(line.hook, known);
    addTo(known, line, running.has(chain));
  }
  return histories;
}

/** Outcomes of calls that a hook which is down is asked about. */
const DOWN: ReadonlySet<string> = new Set(["block", "withheld", "cancelled"]);

export const newHistory = (): History => ({ crashes: 0, onlyTried: true, used: new Map() });

/** Adds what the next line of the log says about the hook. A trial is no use of it. `isRunning`: the process that wrote it may still run. */
export function addTo(history: History, line: AuditLine, isRunning: boolean): void {
  const { event, outcome, capability, value, time } = line;
  if (line.trial === true) return;
  history.onlyTried = false;
  if (isDecision(line)) return;
  if (event === "load" && line.code === undefined && capability === undefined) {
    if (value !== undefined && isAbsolute(value)) history.file = value;
    else delete history.file;
  }
  if (event === "crash" && outcome === "stopped") history.stopped = isRunning ? "running" : "over";
  else if (event === "crash" && outcome !== "restarted") history.crashes++;
  else if (outcome === "NOT_GRANTED" && capability !== undefined)
    history.lastRefusal = { time, what: `${capability} ${value ?? ""}`.trim() };
  // Commands that only look at a hook load it, too.
  else if (event !== "load" && event !== "crash") {
    history.lastUse = time;
    if (capability !== undefined && history.lastRefusal?.what === `${capability} ${value ?? ""}`.trim())
      delete history.lastRefusal;
    if (outcome === "block") history.lastBlock = { time, what: value ?? "" };
    // Cordon also blocks calls in the name of a hook that is down.
    if (!DOWN.has(outcome)) {
      delete history.stopped;
      history.lastRun = time;
    }
    // The names of variables are asked for before any is read.
    if (capability !== undefined && capability !== "env.names") history.used.set(capability.replace(/\..*/, ""), time);
  }
}
