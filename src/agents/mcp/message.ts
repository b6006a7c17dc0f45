import { readJson } from "../../../sandbox/wire/read-json.ts";
import { InexactJson, parseExact } from "../../base/exact-json.ts";
import { nearKey, twinKeys } from "../../base/key-case.ts";
import { inQuotes } from "../../base/text.ts";

export type Id = string | number;

export interface Params {
  [name: string]: unknown;
}

/** One message of MCP, with the text that stands for it. */
export type McpMessage = { text: string } & (
  | { kind: "request"; id: Id; method: string; params: Params }
  | { kind: "notification"; method: string; params: Params }
  | { kind: "result"; id: Id; result: Params }
  | { kind: "error"; id: Id | null; error: Params }
);

/** Why a message goes no further, and the id of whoever waits for an answer to it. */
export class BadMessage extends Error {
  readonly id: Id | null;

  constructor(message: string, id: Id | null = null) {
    super(message);
    this.id = id;
  }
}

const MEMBERS = ["jsonrpc", "id", "method", "params", "result", "error"];

const isId = (id: unknown): id is Id => typeof id === "string" || Number.isSafeInteger(id);

export const isObject = (value: unknown): value is Params =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads what a client sent. The server gets each value as it was written, so that two parsers must not read it in two ways. Throws a
 * {@link BadMessage}.
 */
export function fromClient(text: string): McpMessage {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    if (!(error instanceof InexactJson)) throw new BadMessage("not JSON");
    const { id } = Object(readJson(text)) as { id?: unknown };
    throw new BadMessage(error.message, isId(id) ? id : null);
  }
  if (Array.isArray(value)) throw new BadMessage("batches are not supported");
  const message = messageOf(value, text);
  const key = nearKey(Object(value), MEMBERS) ?? otherNameIn(message);
  if (key === undefined) return message;
  const why = `${inQuotes(key)} is another name to a server that takes names in any case`;
  throw new BadMessage(why, "id" in message ? message.id : null);
}

function otherNameIn(message: McpMessage): string | undefined {
  if (!("method" in message) || message.method !== "tools/call") return undefined;
  const { params } = message;
  return nearKey(params, ["name", "arguments"]) ?? twinKeys(Object(params.arguments))?.[1];
}

/**
 * Reads what a server sent: one message, or a batch of them. What two parsers could read in two ways is passed on as it was
 * judged. Throws a {@link BadMessage}.
 */
export function fromServer(text: string): McpMessage[] {
  let value: unknown;
  let isExact = true;
  try {
    value = parseExact(text);
  } catch (error) {
    if (!(error instanceof InexactJson)) throw new BadMessage("not JSON");
    value = readJson(text);
    isExact = false;
  }
  if (!Array.isArray(value)) return [messageOfServer(value, isExact ? text : JSON.stringify(value))];
  return value.map((one) => messageOfServer(one, JSON.stringify(one)));
}

/** Without members under another name: a client that takes names in any case would read those. */
function messageOfServer(value: unknown, text: string): McpMessage {
  if (!isObject(value) || nearKey(value, MEMBERS) === undefined) return messageOf(value, text);
  const known = Object.fromEntries(Object.entries(value).filter(([name]) => MEMBERS.includes(name)));
  return messageOf(known, JSON.stringify(known));
}

function messageOf(value: unknown, text: string): McpMessage {
  if (!isObject(value)) throw new BadMessage("a message must be an object");
  const { jsonrpc, id, method, params = {}, result, error } = value;
  const sender = isId(id) ? id : null;
  const isAnswer = result !== undefined || error !== undefined;
  if (jsonrpc !== "2.0") throw new BadMessage('a message needs jsonrpc "2.0"', sender);
  if (method !== undefined) {
    if (typeof method !== "string" || isAnswer || !isObject(params))
      throw new BadMessage("a request has a method and params, and nothing else", sender);
    if (id === undefined) return { kind: "notification", method, params, text };
    if (sender === null) throw new BadMessage("an id must be a string or an integer");
    return { kind: "request", id: sender, method, params, text };
  }
  if (isObject(result) && error === undefined && sender !== null) return { kind: "result", id: sender, result, text };
  if (isObject(error) && result === undefined && (sender !== null || id === null || id === undefined))
    return { kind: "error", id: sender, error, text };
  throw new BadMessage("a message needs a method, or a result or an error", sender);
}
