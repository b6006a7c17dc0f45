import { isAbsolute } from "node:path";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { messageOf } from "../../base/errors.ts";
import { parseExact } from "../../base/exact-json.ts";
import { type Heard, type Input, Unreadable } from "./spoken.ts";

/** Longest event: what a hook can be shown is less. */
const MAX_TEXT = 16 * 1024 * 1024;

export const isRecord = (value: unknown): value is Input =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * An event as the agent wrote it. In one that decides what runs, what two parsers could read differently is refused: the agent runs it as
 * it reads it. In others it is taken, and its length does not matter: a tool could keep its result from those that guard it.
 */
export function parseEvent(text: string, { isGate }: Pick<Heard, "isGate">): Input {
  if (isGate && text.length > MAX_TEXT)
    throw new Unreadable(`an event of ${text.length} characters: ${MAX_TEXT} are the most`);
  let value: unknown;
  try {
    value = isGate ? parseExact(text) : readJson(text);
  } catch (error) {
    throw new Unreadable(`an event that is not exact JSON (${messageOf(error)})`);
  }
  if (!isRecord(value)) throw new Unreadable("an event that is no object");
  return value;
}

/** The event's name. A gate judges what it was entered for, whatever an agent calls that now. */
export const eventName = (own: unknown, { event, isGate }: Heard): string =>
  isGate && event !== "" ? event : (optionalText(own) ?? event);

/** A text that must be there. */
export function textOf(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Unreadable(`an event without "${name}"`);
}

export function folderOf(value: unknown, name: string): string {
  const path = textOf(value, name);
  if (isAbsolute(path)) return path;
  throw new Unreadable(`an event whose "${name}" is not absolute`);
}

/** A tool's input: an object, or one as JSON text. */
export function inputOf(value: unknown, name: string): Input {
  const given = typeof value === "string" ? parsed(value) : value;
  if (isRecord(given)) return given;
  throw new Unreadable(`an event whose "${name}" is no object`);
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw new Unreadable(`an input that is not exact JSON (${messageOf(error)})`);
  }
}

export const optionalText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
