import { PROTOCOL, placeFault, socketPath } from "../disk/daemon-places.ts";
import { exchange } from "./exchange.ts";

/** What `status` answers. */
export interface DaemonStatus {
  version: string;
  pid: number;
  /** ISO time. */
  since: string;
  sessions: string[];
  /** The agents' processes, as number and start. */
  agents: string[];
  questions: number;
  /** Agents whose hooks only monitor. */
  monitors: string[];
  /** Sessions that are recorded, each with its file. */
  records: string[];
}

/** Sends a command to the daemon of a home. `undefined` if none runs. Throws for a socket that cannot be trusted. */
export async function askDaemon(home: string, command: string, body?: unknown): Promise<unknown> {
  const fault = placeFault(home);
  if (fault !== undefined) throw new Error(fault);
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  try {
    const { status, text } = await exchange(socketPath(home), `/${PROTOCOL}/${command}`, {}, bytes);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
    throw error;
  }
}
