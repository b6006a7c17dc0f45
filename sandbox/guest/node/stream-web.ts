/** `node:stream/web`, whose classes are globals, too. */
import type * as streams from "web-streams-polyfill";
import { host } from "./host.ts";

type Streams = typeof streams;

const part = <Name extends keyof Streams>(name: Name): Streams[Name] => host.library("web-streams")[name];

export const ReadableStream = /* @__PURE__ */ part("ReadableStream");
export const ReadableStreamDefaultReader = /* @__PURE__ */ part("ReadableStreamDefaultReader");
export const ReadableStreamBYOBReader = /* @__PURE__ */ part("ReadableStreamBYOBReader");
export const WritableStream = /* @__PURE__ */ part("WritableStream");
export const WritableStreamDefaultWriter = /* @__PURE__ */ part("WritableStreamDefaultWriter");
export const TransformStream = /* @__PURE__ */ part("TransformStream");
export const ByteLengthQueuingStrategy = /* @__PURE__ */ part("ByteLengthQueuingStrategy");
export const CountQueuingStrategy = /* @__PURE__ */ part("CountQueuingStrategy");

/** A pair of streams, of which one gives what became of what was written into the other. */
class Pair<In, Out> {
  readonly #pair: streams.TransformStream<In, Out>;

  constructor(transformer: streams.Transformer<In, Out>) {
    this.#pair = new (part("TransformStream"))(transformer);
  }

  get readable(): streams.ReadableStream<Out> {
    return this.#pair.readable;
  }

  get writable(): streams.WritableStream<In> {
    return this.#pair.writable;
  }
}

export class TextDecoderStream extends Pair<ArrayBuffer | ArrayBufferView, string> {
  readonly #decoder: TextDecoder;

  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }) {
    const decoder = new TextDecoder(encoding, options);
    const give = (text: string, { enqueue }: { enqueue: (text: string) => void }): void => {
      if (text !== "") enqueue(text);
    };
    super({
      transform: (chunk, to) => give(decoder.decode(chunk, { stream: true }), { enqueue: (text) => to.enqueue(text) }),
      flush: (to) => give(decoder.decode(), { enqueue: (text) => to.enqueue(text) }),
    });
    this.#decoder = decoder;
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }

  get fatal(): boolean {
    return this.#decoder.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }
}

export class TextEncoderStream extends Pair<string, Uint8Array> {
  readonly encoding = "utf-8";

  constructor() {
    const encoder = new TextEncoder();
    /** The first half of a character, whose other half comes with the next text. */
    let half = "";
    super({
      transform(chunk, to) {
        const text = half + String(chunk);
        half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
        const bytes = encoder.encode(half === "" ? text : text.slice(0, -1));
        if (bytes.length > 0) to.enqueue(bytes);
      },
      flush: (to) => {
        if (half !== "") to.enqueue(encoder.encode(half));
      },
    });
  }
}
