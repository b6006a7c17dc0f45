import { walkJson } from "./walk-json.ts";

/** `JSON.parse`, of any realm. */
type Parse = (text: string) => unknown;

/**
 * A `JSON.parse` for text that others wrote: V8 from 12.8 on, in Node 24 and 26, can take a key with an escape in it for another one
 * (https://github.com/nodejs/node/issues/63785). It compares the key as it is written, up to its length without escapes, with a key
 * that it expects there, as an object that it read before had it. So whoever wrote `comman\\` before hides a `comman\u0064`.
 *
 * @param parse makes the values, in its realm
 */
export function jsonReader(parse: Parse) {
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse
  return (text: string): any => {
    const value = parse(text);
    return text.includes("\\") && mayHaveEscapedKey(text) ? built(text, parse) : value;
  };
}

export const readJson = jsonReader(JSON.parse);

/** Whether a key may have an escape: whatever stands between a quote and a quote with a colon behind it is taken for one. */
function mayHaveEscapedKey(text: string): boolean {
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let end = colon - 1;
    while (isSpace(text[end])) end--;
    if (text[end] !== '"') continue;
    const start = text.lastIndexOf('"', end - 1);
    if (text[start - 1] === "\\" || text.slice(start, end).includes("\\")) return true;
  }
  return false;
}

const isSpace = (character: string | undefined): boolean =>
  character === " " || character === "\n" || character === "\r" || character === "\t";

/** What the text says, made part by part: V8 reads a string that is no key right. */
function built(text: string, parse: Parse): unknown {
  const whole = parse("[]") as unknown[];
  const open: { holder: object; isList: boolean; count: number }[] = [{ holder: whole, isList: true, count: 0 }];
  let key = "";
  /** As an own property: an object of the realm may inherit a setter. */
  const add = (value: unknown): void => {
    const { holder, isList, count } = last();
    if (isList) last().count++;
    Object.defineProperty(holder, isList ? count : key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  };
  const last = () => open[open.length - 1] as (typeof open)[number];
  walkJson(text, {
    open(isList) {
      const holder = parse(isList ? "[]" : "{}") as object;
      add(holder);
      open[open.length] = { holder, isList, count: 0 };
    },
    close() {
      open.length--;
    },
    key(source) {
      key = string(source, parse);
    },
    text: (source) => add(string(source, parse)),
    word: (source) => add(parse(source)),
  });
  return whole[0];
}

const string = (source: string, parse: Parse): string =>
  source.includes("\\") ? (parse(source) as string) : source.slice(1, -1);
