import { readJson } from "../../sandbox/wire/read-json.ts";
import { lockPath, PROTOCOL, placeFault, socketPath } from "../disk/daemon-places.ts";
import { holderOf } from "../disk/lock-file.ts";
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

/** Longest wait for an answer, in ms: a daemon that is stopped takes the question and is silent. */
const ANSWER_MS = 5000;

/**
 * Sends a command to the daemon of a home. `undefined` if none runs. Throws for a socket that cannot be trusted, and for a daemon that
 * does not answer.
 */
export async function askDaemon(home: string, command: string, body?: unknown): Promise<unknown> {
  const fault = placeFault(home);
  if (fault !== undefined) throw new Error(fault);
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const { status, text } = await exchange(socketPath(home), `/${PROTOCOL}/${command}`, {}, bytes, signal);
    if (status !== 200) throw new Error(text);
    return readJson(text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
    if (!signal.aborted) throw error;
    const pid = holderOf(lockPath(home));
    throw new Error(`Cordon's daemon did not answer in ${ANSWER_MS / 1000} s; to end it: kill -9 ${pid}`);
  }
}
