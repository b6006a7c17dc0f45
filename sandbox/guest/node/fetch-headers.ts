/** `Headers` of the fetch standard: names in lower case, values joined, sorted by name. */
import { BAD_VALUE, TOKEN } from "./http-words.ts";

type Init = Headers | Iterable<readonly [string, string]> | Record<string, unknown> | undefined | null;

function nameOf(name: unknown): string {
  const text = String(name);
  if (!TOKEN.test(text))
    throw new TypeError(`Headers: ${JSON.stringify(text.slice(0, 100))} is an invalid header name.`);
  return text.toLowerCase();
}

function checkedValue(value: unknown): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (BAD_VALUE.test(text))
    throw new TypeError(`Headers: ${JSON.stringify(text.slice(0, 100))} is an invalid header value.`);
  return text;
}

export class Headers {
  readonly #values = new Map<string, string[]>();

  constructor(init?: Init) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object") throw new TypeError("Headers takes an object, a list of pairs or Headers");
    const pairs =
      Symbol.iterator in init ? (init as Iterable<readonly [string, string]>) : Object.entries(init as object);
    for (const pair of pairs) {
      const parts = [...pair];
      const [name, value] = parts;
      if (parts.length !== 2) throw new TypeError("Headers takes pairs of a name and a value");
      this.append(name, value);
    }
  }

  append(name: unknown, value: unknown): void {
    const key = nameOf(name);
    const list = this.#values.get(key) ?? [];
    list.push(checkedValue(value));
    this.#values.set(key, list);
  }

  set(name: unknown, value: unknown): void {
    this.#values.set(nameOf(name), [checkedValue(value)]);
  }

  get(name: unknown): string | null {
    return this.#values.get(nameOf(name))?.join(", ") ?? null;
  }

  has(name: unknown): boolean {
    return this.#values.has(nameOf(name));
  }

  delete(name: unknown): void {
    this.#values.delete(nameOf(name));
  }

  getSetCookie(): string[] {
    return [...(this.#values.get("set-cookie") ?? [])];
  }

  *entries(): Generator<[string, string]> {
    for (const name of [...this.#values.keys()].sort()) {
      if (name === "set-cookie") for (const value of this.getSetCookie()) yield [name, value];
      else yield [name, this.get(name) as string];
    }
  }

  *keys(): Generator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.entries()) callback.call(self, value, name, this);
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return "Headers";
  }
}
