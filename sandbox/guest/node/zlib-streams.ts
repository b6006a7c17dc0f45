/** The streams of `node:zlib`. Their classes are made when the first one is needed, since streams take long to evaluate. */
import { Buffer } from "./buffer.ts";
import { unavailable } from "./fault.ts";
import { loadStreams } from "./stream-load.ts";
import { brotliDecode } from "./zlib-brotli.ts";
import { ZlibEngine } from "./zlib-engine.ts";
import { givenOptions, type Kind, optionsOf, sizes } from "./zlib-options.ts";
import { tooLarge } from "./zlib-whole.ts";

const FULL_FLUSH = 3;

type Done = (error?: Error | null) => void;

const bufferOf = (part: Uint8Array): Buffer =>
  Buffer.from(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength);

/** A stream for data of `kind`. */
export function zlibStream(kind: Kind, given?: unknown): object {
  const { Transform } = loadStreams();
  const options = optionsOf(kind, given);
  const engine = new ZlibEngine(kind, options);
  /** Empty parts that stand for a wish to flush, with the kind of flush. */
  const flushes = new WeakMap<object, number>();
  let isClosed = false;

  class ZlibStream extends Transform {
    get bytesWritten(): number {
      return engine.bytesWritten;
    }

    override _transform(part: Uint8Array, _encoding: string, done: Done): void {
      this.#write(part, flushes.get(part) ?? options.flush, done);
    }

    override _flush(done: Done): void {
      this.#write(new Uint8Array(), options.finishFlush, done);
    }

    /** Writes out what is waiting, after all that was written before. */
    flush(how?: number | (() => void), callback?: () => void): void {
      const mark = Buffer.from("");
      flushes.set(mark, typeof how === "number" ? how : FULL_FLUSH);
      this.write(mark, "", typeof how === "function" ? how : callback);
    }

    reset(): void {
      engine.reset();
    }

    params(): never {
      throw unavailable("the level of a zlib stream cannot be changed in a hook");
    }

    close(callback?: () => void): void {
      if (callback) this.once("close", callback);
      this.destroy();
    }

    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
      isClosed = true;
      done(error);
    }

    #write(part: Uint8Array, flush: number, done: Done): void {
      let failure: Error | undefined;
      try {
        engine.write(part, flush, (out) => {
          if (!isClosed) this.push(bufferOf(out));
        });
      } catch (error) {
        failure = error as Error;
      }
      done(failure);
    }
  }
  return new ZlibStream(streamOptions(given));
}

/** A stream that decodes all of its data when they have come. */
export function brotliStream(given?: unknown): object {
  const { Transform } = loadStreams();
  const { maxOutputLength, chunkSize } = sizes(givenOptions(given));
  const parts: Uint8Array[] = [];
  return new Transform({
    ...streamOptions(given),
    transform(part: Uint8Array, _encoding: string, done: Done): void {
      parts.push(part);
      done();
    },
    flush(this: { push(part: Uint8Array): boolean }, done: Done): void {
      let failure: Error | undefined;
      try {
        const whole = brotliDecode(Buffer.concat(parts));
        if (whole.length > maxOutputLength) throw tooLarge(maxOutputLength);
        for (let at = 0; at < whole.length; at += chunkSize) this.push(bufferOf(whole.subarray(at, at + chunkSize)));
      } catch (error) {
        failure = error as Error;
      }
      done(failure);
    },
  });
}

/** Those for the stream itself. */
function streamOptions(given: unknown): object {
  const { highWaterMark, readableObjectMode, signal } = givenOptions(given);
  return { decodeStrings: true, highWaterMark, readableObjectMode, signal };
}
