import { isEscaped, isSpace, walkJson } from "./walk-json.ts";

/** `JSON.parse`, of any realm. */
type Parse = (text: string) => unknown;

const { fromEntries } = Object;

/**
 * A `JSON.parse` for text that others wrote: V8 from 12.8 on, in Node 24 and 26, can take a key with an escape in it for another one
 * (https://github.com/nodejs/node/issues/63785). It compares the key as it is written, up to its length without escapes, with a key
 * that it expects there, as an object that it read before had it. So whoever wrote `comman\\` before hides a `comman\u0064`.
 *
 * @param adopt makes an object or a list of this realm one of the realm of `parse`
 */
export function jsonReader(parse: Parse, adopt: (made: object) => object = (made) => made) {
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse
  return (text: string): any => {
    const value = parse(text);
    return text.includes("\\") && hasEscapedKey(text) ? built(text, adopt) : value;
  };
}

export const readJson = jsonReader(JSON.parse);

/** Whether a key has an escape in it. A string that ends before a colon is a key. */
function hasEscapedKey(text: string): boolean {
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let end = colon - 1;
    while (isSpace(text.charCodeAt(end))) end--;
    if (text[end] !== '"' || isEscaped(text, end)) continue;
    const start = text.lastIndexOf('"', end - 1);
    // A quote within the key is escaped.
    if (text[start - 1] === "\\" || text.slice(start, end).includes("\\")) return true;
  }
  return false;
}

type Entry = readonly [key: string, value: unknown];

/** What the text says, made part by part: V8 reads a string that is no key right. */
function built(text: string, adopt: (made: object) => object): unknown {
  /** The lists and the entries of objects that are open, and the keys at which they stand. */
  const open: { isList: boolean; items: unknown[]; key: string }[] = [];
  let inner: unknown[] = [];
  let isList = true;
  let key = "";
  const add = (value: unknown): void => {
    inner.push(isList ? value : ([key, value] satisfies Entry));
  };
  walkJson(text, {
    open(isListNow) {
      open.push({ isList, items: inner, key });
      [inner, isList] = [[], isListNow];
    },
    close() {
      const made = adopt(isList ? inner : fromEntries(inner as Entry[]));
      const { isList: wasList, items, key: at } = open.pop() as (typeof open)[number];
      [inner, isList, key] = [items, wasList, at];
      add(made);
    },
    key(source) {
      key = textOf(source);
    },
    text: (source) => add(textOf(source)),
    word: (source) =>
      add(source === "null" ? null : source === "true" || (source === "false" ? false : Number(source))),
  });
  return inner[0];
}

const { parse: parseText } = JSON;

/** What a string of JSON says. */
export const textOf = (source: string): string => (source.includes("\\") ? parseText(source) : source.slice(1, -1));
