import type { Headers } from "../../sandbox/wire/answers.ts";

/** Headers about the connection itself, which is ours, or set from what is sent. */
export const OURS: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

export const MAX_NAME = 256;
const MAX_VALUE = 32_768;
const MAX_HEADERS = 100;

/** Throws for what is larger than any honest request's: an error to the hook. */
export function checkSizes(pairs: Headers, texts: readonly [what: string, text: string, most: number][]): void {
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
}
