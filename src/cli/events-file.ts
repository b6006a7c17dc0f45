import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { InexactJson, parseExact } from "../base/exact-json.ts";
import type { HookEvent } from "../hook-api.ts";
import { eventProblem } from "../rpc/params.ts";
import { Refused } from "./common.ts";

/** Parses an event, or returns what is wrong with it. No hook hears a mistyped event: it would seem to pass. */
export function readEvent(text: string): HookEvent | string {
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

/** Reads a file with one event per line. Throws for the first line that is no event. */
export async function readEvents(path: string): Promise<HookEvent[]> {
  const events: HookEvent[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === "") continue;
    const event = readEvent(text);
    if (typeof event === "string") throw new Refused(`${path}: line ${line} is no event: ${event}`);
    events.push(event);
  }
  return events;
}
