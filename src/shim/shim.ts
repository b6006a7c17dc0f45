import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { plainBlock } from "../agents/command/json-block.ts";
import { MAX_BODY_BYTES } from "../base/daemon-wire.ts";
import { type AskOptions, askEvent, type Told } from "./ask-event.ts";

/** Time before the agent's own end of waiting in which the shim gives up. */
const AHEAD_MS = 1000;

/** Hands an event to the daemon, and ends with its answer. Whatever goes wrong while the event decides is a block. */
export async function runShim(options: AskOptions): Promise<void> {
  const fail = (what: string): void => endFailed(options, what);
  process.on("uncaughtException", (error) => fail(`Cordon's shim failed (${error.message})`));
  setTimeout(() => fail("Cordon did not answer in time"), Math.max(0, options.wait - AHEAD_MS));
  try {
    finish(await askEvent(options, await standardInput()));
  } catch (error) {
    fail((error as Error).message);
  }
}

/** Ends with a block where the event decides, as its agent reads one. */
export function endFailed({ agent, kind, event }: Pick<AskOptions, "agent" | "kind" | "event">, what: string): void {
  const reason = `${what}; run: cordon doctor`;
  finish(kind === "gate" ? plainBlock(agent, event, reason) : { exit: 0, text: "", note: `${event}: ${reason}` });
}

function finish({ exit, text, note = "" }: Told): void {
  if (exit === 0 && note !== "") process.stderr.write(`${note}\n`);
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
