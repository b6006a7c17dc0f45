import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { type Entry, HEADERS, replyIn, START_MS } from "../base/daemon-wire.ts";
import { logPath, makeRunFolder, PROTOCOL, placeFault, socketPath, startedPath } from "../disk/daemon-places.ts";
import { type Answered, exchange } from "./exchange.ts";

/** Whose event it is, and where its answer comes from. */
export interface AskOptions extends Entry {
  home: string;
  /** What runs the daemon: Node, and Cordon's start file. */
  daemon: readonly [node: string, start: string];
  /** The process that ran the entry, or the agent itself. */
  parent: number;
  /** Time that the agent waits for the answer, in ms. */
  wait: number;
}

/** The answer, as the agent's entry gives it: see `Reply` of `agents/command`. */
export interface Told {
  exit: number;
  text: string;
  /** For the person. */
  note?: string;
}

/** A daemon that does not listen yet is asked again after this time, or after a part of what was waited already, if that is longer. */
const RETRY_MS = 15;
const RETRY_PART = 1 / 8;
/** A daemon that ends may still hold its lock when the next one is started: it is started again after this time, twice it, … */
const START_AGAIN_MS = 500;
/** So many follow within {@link START_MS}. */
const MOST_STARTS = 4;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Hands an event to the daemon, which is started if none listens. The variables of the session are sent when they are wanted.
 * Rejects, with one line, for anything but a whole answer. `signal`: nobody waits any more.
 */
export async function askEvent(options: AskOptions, event: Buffer, signal?: AbortSignal): Promise<Told> {
  const { home } = options;
  const begun = Date.now();
  let environment = Buffer.alloc(0);
  for (;;) {
    const fault = placeFault(home);
    if (fault !== undefined) throw new Error(fault);
    let answered: Answered;
    try {
      answered = await exchange(
        socketPath(home),
        targetOf(options),
        headersOf(options, environment),
        Buffer.concat([environment, event]),
        signal,
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ECONNREFUSED") throw error;
      signal?.throwIfAborted();
      const waited = Date.now() - begun;
      if (waited > START_MS) throw new Error(`Cordon's daemon does not start; see ${logPath(home)}`);
      if (mayStart(home)) await startDaemon(options);
      await sleep(Math.max(RETRY_MS, waited * RETRY_PART));
      continue;
    }
    if (answered.status === 200) return toldIn(answered.text);
    if (answered.status !== 428 || environment.length > 0)
      throw new Error(`Cordon's daemon refused this (${answered.text})`);
    environment = Buffer.from(JSON.stringify(process.env));
  }
}

const targetOf = ({ agent, kind, event }: Entry): string =>
  `/${PROTOCOL}/hook/${[agent, kind, event].map(encodeURIComponent).join("/")}`;

const headersOf = ({ parent, wait }: AskOptions, environment: Uint8Array): object => ({
  [HEADERS.cwd]: encodeURIComponent(process.cwd()),
  [HEADERS.parent]: parent,
  [HEADERS.wait]: wait,
  [HEADERS.environment]: environment.length,
});

/**
 * Whether this process is the one to start a daemon now. Of many that find none, each would start its own, again and again: they
 * would take the time that the first one needs. The file's time is that of the last start, its bytes are the starts before that.
 */
function mayStart(home: string): boolean {
  const path = startedPath(home);
  const last = lstatSync(path, { throwIfNoEntry: false });
  const age = Date.now() - (last?.mtimeMs ?? Number.NEGATIVE_INFINITY);
  const before = last?.isFile() ? Math.min(last.size, MOST_STARTS) : 0;
  // A time that is still to come is of a clock that was set back.
  const recent = age >= 0 && age < START_MS;
  if (recent && age < START_AGAIN_MS * 2 ** before) return false;
  try {
    makeRunFolder(home);
    // Whatever lies there is not opened: it may be a pipe, or lead elsewhere.
    rmSync(path, { force: true, recursive: true });
    writeFileSync(path, "+".repeat(recent ? before + 1 : 0), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    // Another command was first. For all else: one daemon more than needed ends by itself; without any, every call is blocked.
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}

/** It starts in `/` with no variables, since it serves other sessions, too. */
async function startDaemon({ home, daemon: [node, start] }: AskOptions): Promise<void> {
  // Most events find a daemon, and need not wait for this module to load.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn(node, [start, "daemon", "run", "--home", home], {
      cwd: "/",
      env: Object.create(null),
      detached: true,
      stdio: "ignore",
    });
    child.once("error", (error) => reject(new Error(`Cordon's daemon cannot be started (${error.message})`)));
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}

function toldIn(text: string): Told {
  const told = replyIn(text);
  if (!told) throw new Error("Cordon's daemon answered nonsense");
  return told;
}
