import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { exactText, InexactJson, parseExact } from "../base/exact-json.ts";
import type { HookEvent } from "../hook-api.ts";
import { type Recorded, takeRecorded } from "../recording/recorded.ts";
import { eventProblem } from "../rpc/params.ts";
import { Refused } from "./common.ts";

/** An event, or what is wrong with it; from a recording also what that says of it. */
export interface ReadEvent {
  event: HookEvent | string;
  recorded?: Recorded;
}

/** Parses an event, or returns what is wrong with it. No hook hears a mistyped event: it would seem to pass. */
function readEvent(bytes: Buffer): ReadEvent {
  let value: unknown;
  try {
    value = parseExact(exactText(bytes));
  } catch (error) {
    return { event: error instanceof InexactJson ? error.message : "not JSON" };
  }
  if (typeof value !== "object" || value === null || typeof (value as HookEvent).type !== "string") {
    return { event: 'each line must be a JSON object with a "type"' };
  }
  const read = takeRecorded(value as HookEvent);
  const problem = eventProblem(read.event)?.message.replace("params.event", "event");
  return problem === undefined ? { ...read, event: withFunctions(read.event) } : { event: problem };
}

/** Adds what pi's own event has and a line cannot hold. */
const withFunctions = (event: HookEvent): HookEvent =>
  event.type === "session" && event.reason === "before_compact"
    ? { ...event, resolveApiKey: async () => "sample-key", signal: new AbortController().signal }
    : event;

/** The events of a text with one per line: each with the number of its line, or what is wrong with it. */
export async function* eventsIn(input: Readable): AsyncGenerator<ReadEvent & { line: number }> {
  let line = 0;
  // Each byte is a character of it.
  const bytes = input.setEncoding("latin1");
  for await (const text of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() !== "") yield { line, ...readEvent(Buffer.from(text, "latin1")) };
  }
}

/** An event of a file, with what a recording says of it. */
export interface FileEvent {
  line: number;
  event: HookEvent;
  recorded?: Recorded;
}

/** Throws for what is not there, and for a folder. */
export function refuseNoFile(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) throw new Refused(`${path}: no such file`);
  if (status.isDirectory()) throw new Refused(`${path}: a folder, and no file of events`);
}

/** Reads a file with one event per line. Throws for the first line that is no event. */
export async function readEvents(path: string): Promise<FileEvent[]> {
  refuseNoFile(path);
  return Array.fromAsync(eventsIn(createReadStream(path)), ({ line, event, recorded }) => {
    if (typeof event === "string") throw new Refused(`${path}: line ${line} is no event: ${event}`);
    return { line, event, ...(recorded ? { recorded } : {}) };
  });
}
