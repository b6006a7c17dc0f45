import { CordonError, type ErrorCode, messageOf } from "./errors.ts";
import { cleanLine } from "./text.ts";

/** Parses a JSON file's text. Throws `code` if it is not JSON. The parser quotes the text, so its message is cleaned. */
export function parseJson(text: string, path: string, code: ErrorCode): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CordonError(code, `${path}: not JSON (${cleanLine(messageOf(error), 200)})`);
  }
}
