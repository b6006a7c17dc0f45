/** The functions of `node:fs` that take a descriptor, and the `FileHandle` of `node:fs/promises`. */
import { Buffer } from "unenv/node/buffer";
import { wrongType } from "./fault.ts";
import * as steps from "./fs-descriptors.ts";
import { doNow, doSoon, type Steps } from "./fs-descriptors.ts";
import { opened } from "./fs-open-files.ts";
import { PLANS, run } from "./fs-plans.ts";
import { inEncoding } from "./wire-data.ts";

interface Part {
  offset?: number;
  length?: number;
  position?: number | bigint | null;
}

/** Node takes the part of a buffer as three arguments, or as one object. */
function reading(descriptor: unknown, into: Uint8Array, rest: readonly unknown[]): Steps<number> {
  const [first, length, position] = rest;
  const part =
    typeof first === "object" && first !== null ? (first as Part) : ({ offset: first, length, position } as Part);
  return steps.read(descriptor, into, part.offset ?? 0, part.length ?? undefined, part.position);
}

/** A buffer with offset, length and position, or a text with position and encoding. */
function writing(descriptor: unknown, data: unknown, rest: readonly unknown[]): Steps<number> {
  if (typeof data === "string") {
    const [position, encoding] = rest as [number | null | undefined, string | undefined];
    return steps.write(descriptor, Buffer.from(data, encoding), position);
  }
  if (!(data instanceof Uint8Array)) throw wrongType("buffer", "of type string or an instance of Buffer");
  const [first, size, at] = rest;
  const part =
    typeof first === "object" && first !== null
      ? (first as Part)
      : ({ offset: first, length: size, position: at } as Part);
  const offset = part.offset ?? 0;
  const bytes = data.subarray(offset, offset + (part.length ?? data.length - offset));
  return steps.write(descriptor, bytes, part.position as number | null | undefined);
}

export const openSync = (path: unknown, flags?: unknown, mode?: unknown): number =>
  doNow(steps.open(path, flags, mode));
export const closeSync = (descriptor: number): void => doNow(steps.close(descriptor));
export const readSync = (descriptor: number, into: Uint8Array, ...rest: unknown[]): number =>
  doNow(reading(descriptor, into, rest));
export const writeSync = (descriptor: number, data: unknown, ...rest: unknown[]): number =>
  doNow(writing(descriptor, data, rest));
export const fstatSync = (descriptor: number) => doNow(steps.stat(descriptor));
export const fsyncSync = (descriptor: number): void => doNow(steps.sync(descriptor));
export const fdatasyncSync = fsyncSync;
export const ftruncateSync = (descriptor: number, length?: number): void => doNow(steps.truncate(descriptor, length));

type Callback = (error: unknown, ...answer: unknown[]) => void;

/** The version with a callback, which is the last argument. `more`: what it gets besides the answer. */
const later =
  (start: (...args: never[]) => Steps<unknown>, more: (args: readonly unknown[]) => unknown[] = () => []) =>
  (...args: unknown[]): void => {
    const callback = args.pop() as Callback;
    if (typeof callback !== "function") throw wrongType("cb", "of type function");
    doSoon((start as (...args: unknown[]) => Steps<unknown>)(...args)).then(
      (answer) => callback(null, ...(answer === undefined ? [] : [answer]), ...more(args)),
      (error) => callback(error),
    );
  };
const second = ([, data]: readonly unknown[]): unknown[] => [data];

export const open = /* @__PURE__ */ later(steps.open);
export const close = /* @__PURE__ */ later(steps.close);
export const read = /* @__PURE__ */ later((fd, into, ...rest) => reading(fd, into, rest), second);
export const write = /* @__PURE__ */ later((fd, data, ...rest) => writing(fd, data, rest), second);
export const fstat = /* @__PURE__ */ later(steps.stat);
export const fsync = /* @__PURE__ */ later(steps.sync);
export const ftruncate = /* @__PURE__ */ later(steps.truncate);

type Encoding = string | { encoding?: string | null } | null | undefined;
const encodingOf = (options: Encoding) => (typeof options === "object" ? options?.encoding : options);

export class FileHandle {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  async read(given: Uint8Array | (Part & { buffer?: Uint8Array }) = {}, ...rest: unknown[]) {
    const isBuffer = given instanceof Uint8Array;
    const buffer = isBuffer ? given : (given.buffer ?? Buffer.from(new Uint8Array(16_384)));
    return { bytesRead: await doSoon(reading(this.fd, buffer, isBuffer ? rest : [given])), buffer };
  }

  async write(data: unknown, ...rest: unknown[]) {
    return { bytesWritten: await doSoon(writing(this.fd, data, rest)), buffer: data };
  }

  /** From where the last read ended. */
  async readFile(options?: Encoding): Promise<unknown> {
    const file = opened(this.fd, "read", "reads");
    const bytes = ((await run(PLANS.readFile(file.path))) as Buffer).subarray(file.position);
    file.position += bytes.length;
    const encoding = encodingOf(options);
    return encoding ? inEncoding(bytes as Buffer, encoding) : bytes;
  }

  async writeFile(data: unknown, options?: Encoding): Promise<void> {
    const text = typeof data === "string" ? Buffer.from(data, encodingOf(options) ?? undefined) : data;
    await doSoon(writing(this.fd, text, []));
  }

  appendFile(data: unknown, options?: Encoding): Promise<void> {
    return this.writeFile(data, options);
  }

  stat() {
    return doSoon(steps.stat(this.fd));
  }

  truncate(length?: number): Promise<void> {
    return doSoon(steps.truncate(this.fd, length));
  }

  sync(): Promise<void> {
    return doSoon(steps.sync(this.fd));
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  close(): Promise<void> {
    return doSoon(steps.close(this.fd));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export const openHandle = async (path: unknown, flags?: unknown, mode?: unknown): Promise<FileHandle> =>
  new FileHandle(await doSoon(steps.open(path, flags, mode)));
