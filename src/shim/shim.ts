import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { plainBlock } from "../agents/command/json-block.ts";
import { logPath, PROTOCOL, placeFault, socketPath } from "../daemon/places.ts";
import { type Entry, HEADERS, MAX_BODY_BYTES, START_MS } from "../daemon/wire.ts";
import { type Answered, exchange } from "./exchange.ts";

/** What the installed entry says of itself. */
export interface ShimOptions extends Entry {
  home: string;
  /** What runs the daemon: Node, and Cordon's start file. */
  daemon: readonly [node: string, start: string];
  /** The process that ran the entry. */
  parent: number;
  /** Time that the agent waits for the entry, in ms. */
  wait: number;
}

/** Time before the agent's own end of waiting in which the shim gives up. */
const AHEAD_MS = 1000;

const RETRY_MS = 15;
/** A daemon that ends may still hold its lock when the next one is started: it is started again. */
const START_EVERY_MS = 500;
const LOOK_AT_PARENT_MS = 500;

/** Hands an event to the daemon, and ends with its answer. Whatever goes wrong while the event decides is a block. */
export async function runShim(options: ShimOptions): Promise<void> {
  const { agent, kind, event, wait } = options;
  const fail = (what: string): void => {
    const reason = `${what}; run: cordon doctor`;
    finish(
      kind === "gate" ? plainBlock(agent, reason) : { exit: 0, text: "" },
      kind === "gate" ? "" : `${event}: ${reason}\n`,
    );
  };
  process.on("uncaughtException", (error) => fail(`Cordon's shim failed (${error.message})`));
  setTimeout(() => fail("Cordon did not answer in time"), Math.max(0, wait - AHEAD_MS));
  // An agent that gave the call up may leave its command behind.
  setInterval(() => isGone(options.parent) && process.exit(2), LOOK_AT_PARENT_MS);
  try {
    finish(replyIn(await ask(options, await standardInput())));
  } catch (error) {
    fail((error as Error).message);
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** `note`: for a person, where the agent goes on. */
function finish({ exit, text }: { exit: number; text: string }, note = ""): void {
  if (note !== "") process.stderr.write(note);
  const stream = exit === 0 ? process.stdout : process.stderr;
  if (text === "") process.exit(exit);
  stream.write(`${text}\n`, () => process.exit(exit));
}

/** Whatever the agent's end of the pipe does, this can be left while it waits: a read of a file cannot. */
async function standardInput(): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of inputStream() as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY_BYTES / 2) throw new Error(`the event has more than ${MAX_BODY_BYTES / 2} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A pipe is opened without what Node loads for terminals. */
function inputStream(): NodeJS.ReadableStream {
  const status = fstatSync(0);
  return status.isFIFO() || status.isSocket() ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the daemon if none listens. The variables of the session are sent when they are wanted. */
async function ask(options: ShimOptions, event: Buffer): Promise<string> {
  const { home } = options;
  const end = Date.now() + START_MS;
  let environment = Buffer.alloc(0);
  let startAt = 0;
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
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ECONNREFUSED") throw error;
      if (Date.now() > end) throw new Error(`Cordon's daemon does not start; see ${logPath(home)}`);
      if (Date.now() > startAt) {
        await startDaemon(options);
        startAt = Date.now() + START_EVERY_MS;
      }
      await sleep(RETRY_MS);
      continue;
    }
    if (answered.status === 200) return answered.text;
    if (answered.status !== 428 || environment.length > 0)
      throw new Error(`Cordon's daemon refused this (${answered.text})`);
    environment = Buffer.from(JSON.stringify(process.env));
  }
}

const targetOf = ({ agent, kind, event }: Entry): string =>
  `/${PROTOCOL}/hook/${[agent, kind, event].map(encodeURIComponent).join("/")}`;

const headersOf = ({ parent, wait }: ShimOptions, environment: Uint8Array): object => ({
  [HEADERS.cwd]: encodeURIComponent(process.cwd()),
  [HEADERS.parent]: parent,
  [HEADERS.wait]: wait,
  [HEADERS.environment]: environment.length,
});

/** In a folder and with an environment that are nobody's: it serves other sessions, too. */
async function startDaemon({ home, daemon: [node, start] }: ShimOptions): Promise<void> {
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

function replyIn(text: string): { exit: number; text: string } {
  const [exit, ...rest] = text.split("\n");
  if (exit !== "0" && exit !== "2") throw new Error("Cordon's daemon answered nonsense");
  return { exit: Number(exit), text: rest.join("\n") };
}
