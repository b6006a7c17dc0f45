/** The body of a `Request` or `Response`. It is complete, and can be read once. */
import { bufferOf, MAX_MESSAGE, textOf, toWire, type WireData } from "./wire-data.ts";

const tagOf = (value: object): string => Object.prototype.toString.call(value);

const EMPTY: WireData = ["utf8", ""];

/** A body from the network. Hooks cannot create one. */
export class Arrived {
  readonly data: WireData | undefined;
  /** The source of the body, if it is a response from the network. */
  readonly from: { url: string; redirected: boolean } | undefined;

  constructor(data: WireData | undefined, from?: { url: string; redirected: boolean }) {
    this.data = data;
    this.from = from;
  }
}

/** Converts a body that the hook gave. `type` is its default content type. */
export function takeBody(given: unknown): { data: WireData | undefined; type: string | undefined } {
  if (given === undefined || given === null) return { data: undefined, type: undefined };
  if (given instanceof Arrived) return { data: given.data, type: undefined };
  const tooLarge = (bytes: number): Error =>
    new RangeError(`a body of ${bytes} bytes is over the limit of ${MAX_MESSAGE}`);
  const wire = (body: unknown): WireData | undefined => toWire(body, "utf8", tooLarge, MAX_MESSAGE);
  if (typeof given === "object" && tagOf(given) === "[object URLSearchParams]")
    return { data: wire(String(given)), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  const data = wire(given);
  if (data) return { data, type: typeof given === "string" ? "text/plain;charset=UTF-8" : undefined };
  if (typeof given === "object" && /^(FormData|Blob|File|ReadableStream)$/.test(given.constructor?.name ?? ""))
    throw new TypeError(`a ${given.constructor.name} is not offered to hooks as a body: use text or bytes`);
  return { data: wire(String(given)), type: "text/plain;charset=UTF-8" };
}

/** The result of a body's reader, which gives the body in one chunk. */
interface Chunk {
  done: boolean;
  value: Uint8Array | undefined;
}

export class Body {
  readonly #data: WireData | undefined;
  #used = false;

  constructor(data: WireData | undefined) {
    this.#data = data;
  }

  get bodyUsed(): boolean {
    return this.#used;
  }

  /** A stream with the parts that most code uses: `getReader` and `for await`. */
  get body(): object | null {
    if (!this.#data) return null;
    const read = async (): Promise<Chunk> => {
      if (this.#used) return { done: true, value: undefined };
      return { done: false, value: new Uint8Array(await this.arrayBuffer()) };
    };
    const cancel = async (): Promise<void> => {
      this.#used = true;
    };
    return {
      locked: this.#used,
      getReader: () => ({ read, cancel, releaseLock: () => {} }),
      async *[Symbol.asyncIterator]() {
        const { value } = await read();
        if (value) yield value;
      },
      cancel,
    };
  }

  protected peek(): WireData | undefined {
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read");
    return this.#data;
  }

  /** The data. Marks the body as used. */
  protected use(): WireData | undefined {
    const data = this.peek();
    this.#used = data !== undefined;
    return data;
  }

  async text(): Promise<string> {
    return textOf(this.use() ?? EMPTY).replace(/^\ufeff/, "");
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(bufferOf(this.use() ?? EMPTY));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }

  async blob(): Promise<never> {
    throw new TypeError("blob() is not offered to hooks: use arrayBuffer()");
  }

  async formData(): Promise<never> {
    throw new TypeError("formData() is not offered to hooks: use text()");
  }
}
