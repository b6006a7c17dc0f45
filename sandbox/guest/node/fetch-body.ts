/** The body of a `Request` or `Response`. It can be read once: whole, or part by part as a stream. */
import type { ReadableStream } from "web-streams-polyfill";
import { Blob } from "./blob.ts";
import { typedBytes } from "./bodies.ts";
import { fault } from "./fault.ts";
import { host } from "./host.ts";
import { bufferOf, MAX_MESSAGE, textOf, toWire, type WireData } from "./wire-data.ts";

const tagOf = (value: object): string => Object.prototype.toString.call(value);

const EMPTY: WireData = ["utf8", ""];

/** A body that comes part by part. `next`: the next part, or undefined at the end. */
export interface Arriving {
  next(): Promise<Uint8Array | undefined>;
  cancel(reason?: unknown): unknown;
}

export type Source = WireData | Arriving;

const arrives = (source: Source): source is Arriving => "next" in source;

/** A body from the network. Hooks cannot create one. */
export class Arrived {
  readonly data: Source | undefined;
  /** The source of the body, if it is a response from the network. */
  readonly from: { url: string; redirected: boolean } | undefined;

  constructor(data: Source | undefined, from?: { url: string; redirected: boolean }) {
    this.data = data;
    this.from = from;
  }
}

/** Whatever reads as a stream of the web's standard. */
export const isStream = (value: unknown): value is ReadableStream<unknown> =>
  typeof (value as { getReader?: unknown } | null | undefined)?.getReader === "function";

/** A stream of the hook's own as a body. It is locked from now on. */
export function fromStream(stream: ReadableStream<unknown>): Arriving {
  const reader = stream.getReader();
  return {
    async next() {
      const { value, done } = await reader.read();
      if (done) return undefined;
      if (!ArrayBuffer.isView(value)) throw new TypeError("Received non-Uint8Array chunk");
      return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Converts a body that the hook gave. `type` is its default content type. */
export function takeBody(given: unknown): { data: Source | undefined; type: string | undefined } {
  if (given === undefined || given === null) return { data: undefined, type: undefined };
  if (given instanceof Arrived) return { data: given.data, type: undefined };
  const tooLarge = (bytes: number): Error =>
    new RangeError(`a body of ${bytes} bytes is over the limit of ${MAX_MESSAGE}`);
  const wire = (body: unknown): WireData | undefined => toWire(body, "utf8", tooLarge, MAX_MESSAGE);
  if (typeof given === "object" && tagOf(given) === "[object URLSearchParams]")
    return { data: wire(String(given)), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  const typed = typedBytes(given);
  if (typed) return { data: wire(typed.bytes), type: typed.type === "" ? undefined : typed.type };
  const data = wire(given);
  if (data) return { data, type: typeof given === "string" ? "text/plain;charset=UTF-8" : undefined };
  // A library's own, or a stream.
  if (typeof given === "object" && /^(FormData|Blob|File|ReadableStream)$/.test(given.constructor?.name ?? ""))
    throw new TypeError(
      `this ${given.constructor.name} is not offered to hooks as a body: use a global one, text or bytes`,
    );
  return { data: wire(String(given)), type: "text/plain;charset=UTF-8" };
}

const unusable = (): Error => new TypeError("Body is unusable: Body has already been read");

async function whole(from: Arriving): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await from.next(); part; part = await from.next()) {
    length += part.length;
    if (length > MAX_MESSAGE) {
      from.cancel();
      throw fault(RangeError, "ERR_BODY_TOO_LARGE", `the body has more than ${MAX_MESSAGE} bytes: read it as a stream`);
    }
    parts.push(part);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** As a stream, which asks for a part when its reader does. `used` is called before the first. */
function streamOf(source: Source, used: () => boolean): ReadableStream<Uint8Array> {
  let first = true;
  return new (host.library("web-streams").ReadableStream)<Uint8Array>(
    {
      type: "bytes",
      async pull(to) {
        // Somebody read the body whole, past this stream.
        if (first && !used()) return to.close();
        const isFirst = first;
        first = false;
        for (;;) {
          const part = arrives(source) ? await source.next() : isFirst ? new Uint8Array(bufferOf(source)) : undefined;
          if (part?.length === 0 && arrives(source)) continue;
          if (part && part.length > 0) return to.enqueue(part);
          to.close();
          to.byobRequest?.respond(0);
          return;
        }
      },
      cancel(reason) {
        used();
        if (arrives(source)) source.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

export abstract class Body {
  abstract readonly headers: Pick<Headers, "get">;
  #source: Source | undefined;
  #stream: ReadableStream<Uint8Array> | undefined;
  #used = false;

  constructor(source: Source | undefined) {
    this.#source = source;
  }

  get bodyUsed(): boolean {
    return this.#used;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (!this.#source) return null;
    this.#stream ??= streamOf(this.#source, () => {
      const isFirst = !this.#used;
      this.#used = true;
      return isFirst;
    });
    return this.#stream;
  }

  /** The data of a body that is here whole. */
  protected data(): WireData | undefined {
    const source = this.peek();
    return source && arrives(source) ? undefined : source;
  }

  protected peek(): Source | undefined {
    if (this.#used || this.#stream?.locked) throw unusable();
    return this.#source;
  }

  /** The source. Marks the body as used. */
  protected use(): Source | undefined {
    const source = this.peek();
    this.#used = source !== undefined;
    return source;
  }

  /** A second source of the same parts. */
  protected fork(): Source | undefined {
    const source = this.peek();
    if (!source || !arrives(source)) return source;
    const [mine, other] = streamOf(source, () => true).tee();
    this.#source = fromStream(mine);
    this.#stream = undefined;
    return fromStream(other);
  }

  async text(): Promise<string> {
    const source = this.use() ?? EMPTY;
    if (!arrives(source)) return textOf(source).replace(/^\ufeff/, "");
    return new TextDecoder().decode(await whole(source));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async bytes(): Promise<Uint8Array> {
    const source = this.use() ?? EMPTY;
    return arrives(source) ? whole(source) : new Uint8Array(bufferOf(source));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") });
  }

  async formData(): Promise<never> {
    throw new TypeError("formData() is not offered to hooks: use text()");
  }
}
