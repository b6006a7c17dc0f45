import { readJson } from "../../sandbox/wire/read-json.ts";
import { CordonError, type ErrorCode, messageOf } from "./errors.ts";
import { InexactJson, parseExact } from "./exact-json.ts";
import { cleanLine } from "./text.ts";

/**
 * Parses a JSON file's text. Throws `code` if it is not JSON. The parser quotes the text, so its message is cleaned. What a person
 * decides by must say one thing: everywhere but in manifests, which others write for npm, a key that stands twice is refused.
 */
export function parseJson(text: string, path: string, code: ErrorCode): unknown {
  try {
    return code === "BAD_MANIFEST" ? readJson(text) : parseExact(text);
  } catch (error) {
    // Some editors put one there, and nothing shows it.
    if (text.startsWith("\ufeff"))
      throw new CordonError(code, `${path}: not JSON (it begins with a byte order mark; save it as UTF-8 without one)`);
    const message = cleanLine(messageOf(error), 200);
    throw new CordonError(code, `${path}: ${error instanceof InexactJson ? message : `not JSON (${message})`}`);
  }
}
