import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { InexactJson, parseExact } from "../base/exact-json.ts";
import type { HookEvent } from "../hook-api.ts";
import { eventProblem } from "../rpc/params.ts";
import { Refused } from "./common.ts";

/** Parses an event, or returns what is wrong with it. No hook hears a mistyped event: it would seem to pass. */
function readEvent(text: string): HookEvent | string {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return error instanceof InexactJson ? error.message : "not JSON";
  }
  if (typeof value !== "object" || value === null || typeof (value as HookEvent).type !== "string") {
    return 'each line must be a JSON object with a "type"';
  }
  return eventProblem(value as HookEvent)?.message.replace("params.event", "event") ?? (value as HookEvent);
}

/** The events of a text with one per line: each with the number of its line, or what is wrong with it. */
export async function* eventsIn(input: Readable): AsyncGenerator<{ line: number; event: HookEvent | string }> {
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() !== "") yield { line, event: readEvent(text) };
  }
}

/** Reads a file with one event per line. Throws for the first line that is no event. */
export const readEvents = (path: string): Promise<HookEvent[]> =>
  Array.fromAsync(eventsIn(createReadStream(path)), ({ line, event }) => {
    if (typeof event === "string") throw new Refused(`${path}: line ${line} is no event: ${event}`);
    return event;
  });
