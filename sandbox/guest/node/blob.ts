/** `Blob` and `File`, as the web has them: bytes with a type. All of them are in the hook's memory. */
import type { ReadableStream } from "web-streams-polyfill";
import { asBody } from "./bodies.ts";
import { fault } from "./fault.ts";
import { host } from "./host.ts";

interface BlobOptions {
  type?: unknown;
  endings?: unknown;
}

interface FileOptions extends BlobOptions {
  lastModified?: unknown;
}

const wrong = (what: string): Error => fault(TypeError, "ERR_INVALID_ARG_TYPE", what);

/** Lines end as they do on this system. */
const withEndings = (text: string, endings: unknown): string =>
  endings === "native" ? text.replace(/\r\n?|\n/g, host.machine.platform === "win32" ? "\r\n" : "\n") : text;

/** The bytes of a view or a buffer; `undefined` for anything else. */
function viewOf(part: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return part instanceof ArrayBuffer ? new Uint8Array(part) : undefined;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A content type, or none: another text could end a header. */
const typeOf = (type: unknown): string => {
  const text = type === undefined ? "" : String(type);
  return /[^\x20-\x7e]/.test(text) ? "" : text.toLowerCase();
};

export class Blob {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #type: string;

  constructor(parts: unknown = [], options: BlobOptions | null = {}) {
    if (typeof parts !== "object" || parts === null || !(Symbol.iterator in parts))
      throw wrong('The "sources" argument must be an iterable of parts');
    if (options !== null && typeof options !== "object" && typeof options !== "function")
      throw wrong('The "options" argument must be an object');
    const { type, endings = "transparent" } = options ?? {};
    if (endings !== "transparent" && endings !== "native")
      throw fault(TypeError, "ERR_INVALID_ARG_VALUE", 'The property "options.endings" is transparent or native');
    const bytes = [...(parts as Iterable<unknown>)].map((part) =>
      isBlob(part) ? part.#bytes : (viewOf(part) ?? new TextEncoder().encode(withEndings(String(part), endings))),
    );
    this.#bytes = joined(bytes);
    this.#type = typeOf(type);
    asBody(this, () => ({ bytes: this.#bytes, type: this.#type }));
  }

  get size(): number {
    return this.#bytes.length;
  }

  get type(): string {
    return this.#type;
  }

  get [Symbol.toStringTag](): string {
    return "Blob";
  }

  slice(start = 0, end = this.size, type: unknown = ""): Blob {
    return blobOf(this.#bytes.subarray(place(start, this.size), place(end, this.size)), type);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer;
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes.slice();
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.#bytes);
  }

  stream(): ReadableStream<Uint8Array> {
    const bytes = this.#bytes.slice();
    return new (host.library("web-streams").ReadableStream)<Uint8Array>({
      type: "bytes",
      start(to) {
        if (bytes.length > 0) to.enqueue(bytes);
        to.close();
      },
    });
  }
}

// A class that names itself would get another name in a bundle.
const isBlob = (part: unknown): part is Blob => part instanceof Blob;
const blobOf = (bytes: Uint8Array, type: unknown): Blob => new Blob([bytes], { type });

/** A place in a list of bytes, counted from its end if it is negative. */
function place(given: unknown, size: number): number {
  const at = Math.round(Number(given)) || 0;
  return at < 0 ? Math.max(size + at, 0) : Math.min(at, size);
}

export class File extends Blob {
  readonly #name: string;
  readonly #lastModified: number;

  constructor(...given: [parts: unknown, name: unknown, options?: FileOptions | null]) {
    if (given.length < 2) throw fault(TypeError, "ERR_MISSING_ARGS", "a File needs its parts and its name");
    const [parts, name, options] = given;
    super(parts, options);
    this.#name = String(name);
    const { lastModified = Date.now() } = options ?? {};
    this.#lastModified = Number(lastModified);
  }

  get name(): string {
    return this.#name;
  }

  get lastModified(): number {
    return this.#lastModified;
  }

  override get [Symbol.toStringTag](): string {
    return "File";
  }
}
