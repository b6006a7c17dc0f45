/** `FormData`, as the web has it. As a body it is `multipart/form-data`. */
import { Blob, File } from "./blob.ts";
import { asBody, type TypedBytes, typedBytes } from "./bodies.ts";

type Value = string | File;

export class FormData {
  #entries: [name: string, value: Value][] = [];

  constructor(form?: unknown) {
    if (form !== undefined) throw new TypeError("FormData takes no argument: a hook has no HTML form");
    asBody(this, () => multipart(this.#entries));
  }

  append(name: unknown, value: unknown, filename?: unknown): void {
    this.#entries.push([String(name), entryOf(value, filename)]);
  }

  set(name: unknown, value: unknown, filename?: unknown): void {
    const entry: [string, Value] = [String(name), entryOf(value, filename)];
    const at = this.#entries.findIndex(([other]) => other === entry[0]);
    if (at < 0) {
      this.#entries.push(entry);
      return;
    }
    this.#entries = this.#entries.filter(([other], index) => index <= at || other !== entry[0]);
    this.#entries[at] = entry;
  }

  delete(name: unknown): void {
    this.#entries = this.#entries.filter(([other]) => other !== String(name));
  }

  get(name: unknown): Value | null {
    return this.#entries.find(([other]) => other === String(name))?.[1] ?? null;
  }

  getAll(name: unknown): Value[] {
    return this.#entries.flatMap(([other, value]) => (other === String(name) ? [value] : []));
  }

  has(name: unknown): boolean {
    return this.#entries.some(([other]) => other === String(name));
  }

  forEach(callback: (value: Value, name: string, form: FormData) => void, thisArg?: unknown): void {
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  *entries(): IterableIterator<[string, Value]> {
    for (let at = 0; at < this.#entries.length; at++) yield [...(this.#entries[at] as [string, Value])];
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): IterableIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return "FormData";
  }
}

function entryOf(value: unknown, filename: unknown): Value {
  if (!(value instanceof Blob)) {
    if (filename !== undefined) throw new TypeError("a part with a file name must be a Blob");
    return String(value);
  }
  if (value instanceof File && filename === undefined) return value;
  const { lastModified } = value instanceof File ? value : { lastModified: Date.now() };
  return new File([value], filename === undefined ? "blob" : filename, { type: value.type, lastModified });
}

/** A name as it stands in a header: it cannot end it. */
const quoted = (name: string): string => `"${name.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22")}"`;

const withNewlines = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n");

function multipart(entries: readonly [name: string, value: Value][]): TypedBytes {
  const boundary = `----formdata-cordon-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const parts = entries.flatMap(([name, value]): unknown[] => {
    const start = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(withNewlines(name))}`;
    if (typeof value === "string") return [`${start}\r\n\r\n${withNewlines(value)}\r\n`];
    const type = value.type === "" ? "application/octet-stream" : value.type;
    return [`${start}; filename=${quoted(value.name)}\r\nContent-Type: ${type}\r\n\r\n`, value, "\r\n"];
  });
  const whole = typedBytes(new Blob([...parts, `--${boundary}--\r\n`])) as TypedBytes;
  return { bytes: whole.bytes, type: `multipart/form-data; boundary=${boundary}` };
}
