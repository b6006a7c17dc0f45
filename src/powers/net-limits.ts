import type { Headers } from "../../sandbox/wire/answers.ts";
import { quoted } from "./quoted.ts";

/** Headers about the connection itself, which is ours, or set from what is sent. */
export const OURS: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

export const MAX_NAME = 256;
const MAX_VALUE = 32_768;
const MAX_HEADERS = 100;

/** RFC 9110, section 5.6.2. */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** What would end a header, or is no byte of one. */
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws for headers that are none, as Node does, and for what is larger than any honest request's: an error to the hook. */
export function checkHeaders(pairs: Headers, texts: readonly [what: string, text: string, most: number][]): void {
  if (pairs.length > MAX_HEADERS) throw new RangeError(`${pairs.length} headers are more than ${MAX_HEADERS}`);
  const all = [
    ...texts,
    ...pairs.flatMap(([name, value]): [string, string, number][] => [
      ["header's name", name, MAX_NAME],
      ["header's value", value, MAX_VALUE],
    ]),
  ];
  for (const [what, text, most] of all)
    if (text.length > most) throw new RangeError(`a ${what} of ${text.length} characters is over the limit of ${most}`);
  for (const [name, value] of pairs) {
    if (!TOKEN.test(name))
      throw fault("ERR_INVALID_HTTP_TOKEN", `Header name must be a valid HTTP token [${quoted(name)}]`);
    if (BAD_VALUE.test(value)) throw fault("ERR_INVALID_CHAR", `Invalid character in header content [${quoted(name)}]`);
  }
}

const fault = (code: string, message: string): Error => Object.assign(new TypeError(message), { code });
