/** `FileHandle` of `node:fs/promises`: an open file, and what can be done with it. */
import { Buffer } from "./buffer.ts";
import { fault } from "./fault.ts";
import { opening, partOf, statOf, sync, truncating, writtenOf } from "./fs-descriptors.ts";
import type { Stats } from "./fs-objects.ts";
import * as files from "./fs-open-file.ts";
import { dataOf, fileOf, type OpenFile, soon } from "./fs-open-file.ts";
import { loadStreams } from "./stream-load.ts";
import { inEncoding } from "./wire-data.ts";

type Encoding = string | { encoding?: string | null } | null | undefined;

const encodingOf = (options: Encoding): string | undefined =>
  (typeof options === "string" ? options : options?.encoding) ?? undefined;

const CHUNK_BYTES = 64 * 1024;

class FileHandle {
  #file: number;

  constructor(file: number) {
    this.#file = file;
  }

  /** Its number; -1 once it is closed. */
  get fd(): number {
    return this.#file;
  }

  #use(syscall: string): OpenFile {
    if (this.#file < 0) throw fault(Error, "EBADF", "file closed", { syscall });
    return fileOf(this.#file, syscall);
  }

  async read(into?: unknown, ...given: unknown[]): Promise<{ bytesRead: number; buffer: unknown }> {
    // A buffer and a part of it, or all of them as options, or nothing.
    const options = ArrayBuffer.isView(into) ? undefined : ((into ?? {}) as { buffer?: unknown });
    const buffer = options ? (options.buffer ?? Buffer.from(new Uint8Array(16_384).buffer)) : into;
    const part = partOf(buffer, options ? [options] : given);
    return { bytesRead: await soon(files.read(this.#use("read"), ...part)), buffer };
  }

  async write(data: unknown, ...given: unknown[]): Promise<{ bytesWritten: number; buffer: unknown }> {
    const part = writtenOf(data, given);
    return { bytesWritten: await soon(files.write(this.#use("write"), ...part)), buffer: data };
  }

  async readFile(options?: Encoding): Promise<unknown> {
    const bytes = await soon(files.readRest(this.#use("readFile")));
    const encoding = encodingOf(options);
    return encoding && encoding !== "buffer" ? inEncoding(bytes, encoding) : bytes;
  }

  async writeFile(data: unknown, options?: Encoding): Promise<void> {
    await soon(files.write(this.#use("write"), dataOf(data, encodingOf(options)), null));
  }

  appendFile(data: unknown, options?: Encoding): Promise<void> {
    return this.writeFile(data, options);
  }

  async stat(): Promise<Stats> {
    this.#use("fstat");
    return soon(statOf(this.#file));
  }

  async truncate(length?: number): Promise<void> {
    this.#use("ftruncate");
    await soon(truncating(this.#file, length));
  }

  async sync(): Promise<void> {
    this.#use("fsync");
    await soon(sync(this.#file));
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  /** Line by line, as it is now. */
  async *readLines(options?: Encoding): AsyncGenerator<string> {
    const text = (await this.readFile(encodingOf(options) ?? "utf8")) as string;
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    yield* lines;
    await this.close();
  }

  createReadStream({
    encoding,
    start,
    highWaterMark = CHUNK_BYTES,
  }: {
    encoding?: string;
    start?: number;
    highWaterMark?: number;
  } = {}): object {
    const { Readable } = loadStreams();
    const file = this.#use("read");
    if (start !== undefined) file.position = start;
    const stream = new Readable({
      highWaterMark,
      encoding,
      read() {
        const target = Buffer.from(new Uint8Array(highWaterMark).buffer);
        soon(files.read(file, target, null)).then(
          (count) => stream.push(count === 0 ? null : target.subarray(0, count)),
          (error) => stream.destroy(error),
        );
      },
    });
    return stream;
  }

  async close(): Promise<void> {
    if (this.#file < 0) return;
    const file = this.#file;
    this.#file = -1;
    files.close(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** `open` of `node:fs/promises`. */
export async function open(path: unknown, flags?: unknown, mode?: unknown): Promise<FileHandle> {
  return new FileHandle(await soon(opening(path, flags, mode)));
}
