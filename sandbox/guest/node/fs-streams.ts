/** `fs.createReadStream` and `fs.createWriteStream`. A file is read as a whole, so it must fit into a hook's memory. */
import type { Buffer } from "./buffer.ts";
import { PLANS, pathOf, run } from "./fs-plans.ts";
import { loadStreams } from "./stream-load.ts";

interface Options {
  encoding?: string | null;
  flags?: string;
  mode?: number;
  start?: number;
  /** The index of the last byte to read. */
  end?: number;
  highWaterMark?: number;
  signal?: AbortSignal;
}

const optionsOf = (given: string | Options | null | undefined): Options =>
  typeof given === "string" ? { encoding: given } : (given ?? {});

const CHUNK_BYTES = 64 * 1024;

/** Called when the first stream is opened. */
function makeClasses() {
  const { Readable, Writable } = loadStreams();

  class ReadStream extends Readable {
    readonly path: string;
    bytesRead = 0;
    readonly pending = false;
    #rest: Buffer | undefined;

    constructor(path: unknown, given?: string | Options) {
      const { encoding, start = 0, end, highWaterMark = CHUNK_BYTES, signal } = optionsOf(given);
      const named = pathOf(path);
      super({ highWaterMark, encoding, signal, read: () => this.#give(start, end, highWaterMark) });
      this.path = named;
    }

    #give(start: number, end: number | undefined, size: number): void {
      if (this.#rest) {
        this.#next(size);
        return;
      }
      run(PLANS.readFile(this.path)).then(
        (bytes) => {
          this.emit("open", 0);
          this.emit("ready");
          this.#rest = (bytes as Buffer).subarray(start, end === undefined ? undefined : end + 1) as Buffer;
          this.#next(size);
        },
        (error) => this.destroy(error),
      );
    }

    #next(size: number): void {
      const rest = this.#rest as Buffer;
      const chunk = rest.subarray(0, size) as Buffer;
      this.#rest = rest.subarray(chunk.length) as Buffer;
      this.bytesRead += chunk.length;
      this.push(chunk.length === 0 ? null : chunk);
    }

    close(done?: (error?: Error) => void): void {
      if (done) this.once("close", done);
      this.destroy();
    }
  }

  /** Calls the callback of a write when the file contains the data. */
  class WriteStream extends Writable {
    readonly path: string;
    bytesWritten = 0;
    readonly pending = false;
    readonly #options: { mode?: number; flag?: string };
    #isOpen = false;

    constructor(path: unknown, given?: string | Options) {
      const { encoding, flags = "w", mode, signal } = optionsOf(given);
      const named = pathOf(path);
      super({ ...(encoding ? { defaultEncoding: encoding } : {}), signal });
      this.path = named;
      this.#options = { flag: flags, mode };
    }

    override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
      this.#put(chunk).then(() => {
        this.bytesWritten += chunk.length;
        done();
      }, done);
    }

    override _final(done: (error?: Error) => void): void {
      if (this.#isOpen) done();
      else this.#put(new Uint8Array(0)).then(() => done(), done);
    }

    close(done?: (error?: Error) => void): void {
      if (done) this.once("close", done);
      this.end();
    }

    /** The first chunk creates, replaces or opens the file, as `flags` say. All others are appended. */
    async #put(chunk: Uint8Array): Promise<void> {
      await run(PLANS.writeFile(this.path, chunk, this.#isOpen ? { flag: "a" } : this.#options));
      if (!this.#isOpen) {
        this.#isOpen = true;
        this.emit("open", 0);
        this.emit("ready");
      }
    }
  }

  return { ReadStream, WriteStream };
}

let classes: ReturnType<typeof makeClasses> | undefined;
function classesOf(): ReturnType<typeof makeClasses> {
  classes ??= makeClasses();
  return classes;
}

export const createReadStream = (path: unknown, options?: string | Options): object =>
  new (classesOf().ReadStream)(path, options);
export const createWriteStream = (path: unknown, options?: string | Options): object =>
  new (classesOf().WriteStream)(path, options);
