/** `FileHandle` of `node:fs/promises`: an open file, and what can be done with it. */
import { Buffer } from "./buffer.ts";
import { fault } from "./fault.ts";
import { modeOf, partOf, statOf, timesOf, writtenOf } from "./fs-descriptors.ts";
import { fileAt, files, numberOf } from "./fs-numbers.ts";
import type { Stats } from "./fs-objects.ts";
import { open as opening } from "./fs-open.ts";
import { dataOf, type OpenFile } from "./fs-open-file.ts";
import { soon } from "./fs-steps.ts";
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

  /** @param name what Node's error names once the handle is closed, if it is not the call */
  #use(syscall: string, name = syscall): OpenFile {
    if (this.#file < 0) throw fault(Error, "EBADF", "file closed", { syscall: name });
    return fileAt(this.#file, syscall);
  }

  async read(into?: unknown, ...given: unknown[]): Promise<{ bytesRead: number; buffer: unknown }> {
    // A buffer and a part of it, or all of them as options, or nothing.
    const options = ArrayBuffer.isView(into) ? undefined : ((into ?? {}) as { buffer?: unknown });
    const buffer = options ? (options.buffer ?? Buffer.from(new Uint8Array(16_384).buffer)) : into;
    const part = partOf(buffer, options ? [options] : given);
    return { bytesRead: await soon(this.#use("read").read(...part)), buffer };
  }

  async write(data: unknown, ...given: unknown[]): Promise<{ bytesWritten: number; buffer: unknown }> {
    const part = writtenOf(data, given);
    return { bytesWritten: await soon(this.#use("write").write(...part)), buffer: data };
  }

  async readFile(options?: Encoding): Promise<unknown> {
    const bytes = await soon(this.#use("fstat", "readFile").readRest());
    const encoding = encodingOf(options);
    return encoding && encoding !== "buffer" ? inEncoding(bytes, encoding) : bytes;
  }

  async writeFile(data: unknown, options?: Encoding): Promise<void> {
    const file = this.#use("write", "writeFile");
    await soon(file.write(dataOf(data, encodingOf(options), "data"), null));
  }

  appendFile(data: unknown, options?: Encoding): Promise<void> {
    return this.writeFile(data, options);
  }

  async stat(): Promise<Stats> {
    return soon(statOf(this.#use("fstat")));
  }

  async truncate(length?: number): Promise<void> {
    await soon(this.#use("ftruncate").truncate(length));
  }

  async chmod(mode: unknown): Promise<void> {
    await soon(modeOf(this.#use("fchmod"), mode));
  }

  async utimes(accessed: unknown, modified: unknown): Promise<void> {
    await soon(timesOf(this.#use("futime"), accessed, modified));
  }

  /** See `fsyncSync`: there is nothing to wait for. */
  async sync(): Promise<void> {
    this.#use("fsync");
  }

  async datasync(): Promise<void> {
    this.#use("fdatasync");
  }

  /** Line by line, as it is now. */
  async *readLines(options?: Encoding): AsyncGenerator<string> {
    numberOf(this.#file);
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
    const file = fileAt(numberOf(this.#file), "read");
    if (start !== undefined) file.position = start;
    const stream = new Readable({
      highWaterMark,
      encoding,
      read() {
        const target = Buffer.from(new Uint8Array(highWaterMark).buffer);
        soon(file.read(target, null)).then(
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
    fileAt(file, "close");
    files.delete(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** `open` of `node:fs/promises`. */
export async function open(path: unknown, flags?: unknown, mode?: unknown): Promise<FileHandle> {
  return new FileHandle(await soon(opening(path, flags, mode)));
}
