/** What `readFile`, `writeFile` and `appendFile` do with the number of an open file: they go on from its position. */
import { fileAt, numberOf } from "./fs-numbers.ts";
import { dataOf } from "./fs-open-file.ts";
import { encodingOf, type Options } from "./fs-plans.ts";
import { later, none, now, one, type Steps } from "./fs-steps.ts";
import { inEncoding, isUtf8 } from "./wire-data.ts";

function* rest(number: number, syscall: string, encoding: string | null | undefined): Steps<unknown> {
  const bytes = yield* fileAt(number, syscall).readRest();
  return encoding && encoding !== "buffer" ? inEncoding(bytes, encoding) : bytes;
}

function* put(number: number, bytes: Uint8Array): Steps<void> {
  yield* fileAt(number, "write").write(bytes, null);
}

/** The synchronous forms hand text in UTF-8 to the system as a whole: to it, a negative number is one like any other. */
export function readNumberSync(number: number, options: Options): unknown {
  const encoding = encodingOf(options);
  return now(isUtf8(encoding) ? rest(number, "read", encoding) : rest(numberOf(number), "fstat", encoding));
}

export function writeNumberSync(number: number, data: unknown, options: Options): void {
  const bytes = dataOf(data, encodingOf(options), "data");
  if (bytes.length === 0) return;
  const isText = typeof data === "string" && isUtf8(encodingOf(options ?? "utf8"));
  now(put(isText ? number : numberOf(number), bytes));
}

export const readNumber = /* @__PURE__ */ later(
  (number: number, options: Options) => rest(numberOf(number), "fstat", encodingOf(options)),
  one,
);
export const writeNumber = /* @__PURE__ */ later((number: number, data: unknown, options: Options) => {
  const bytes = dataOf(data, encodingOf(options), "data");
  return put(numberOf(number), bytes);
}, none);
