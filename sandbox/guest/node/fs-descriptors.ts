/** The functions of `node:fs` for open files, which go by their number. */
import type { Buffer } from "./buffer.ts";
import { wrongType } from "./fault.ts";
import { useNumbers } from "./fs-numbers.ts";
import type { Stats } from "./fs-objects.ts";
import * as files from "./fs-open-file.ts";
import { dataOf, fileOf, now, type Steps, soon } from "./fs-open-file.ts";
import { PLANS, type Plan } from "./fs-plans.ts";
import { inEncoding } from "./wire-data.ts";

type Callback = (error: unknown, ...answers: unknown[]) => void;

interface Part {
  offset?: number;
  length?: number;
  position?: number | bigint | null;
}

const placeOf = (position: unknown): number | null =>
  typeof position === "bigint" ? Number(position) : typeof position === "number" && position >= 0 ? position : null;

/** The part of a buffer that arguments name: one by one, or as options. */
export function partOf(buffer: unknown, given: readonly unknown[]): [bytes: Uint8Array, position: number | null] {
  if (!ArrayBuffer.isView(buffer)) throw wrongType("buffer", "an instance of Buffer, TypedArray, or DataView");
  const whole = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const isOptions = typeof given[0] === "object" && given[0] !== null;
  const { offset, length, position } = (
    isOptions ? given[0] : { offset: given[0], length: given[1], position: given[2] }
  ) as Part;
  const from = offset ?? 0;
  return [whole.subarray(from, length == null ? undefined : from + length), placeOf(position)];
}

/** Bytes and where they go: `write(text, position, encoding)`, or a buffer and a part of it. */
export function writtenOf(data: unknown, given: readonly unknown[]): [bytes: Uint8Array, position: number | null] {
  return typeof data === "string" ? [dataOf(data, given[1]), placeOf(given[0])] : partOf(data, given);
}

function* statOf(file: unknown): Steps<Stats> {
  return (yield PLANS.stat(fileOf(file, "fstat").path) as Plan<unknown>) as Stats;
}

/** What was written is with the system when the call returns: a hook cannot have it wait for the disk. */
// biome-ignore lint/correctness/useYield: nothing is to be asked
function* sync(file: unknown): Steps<void> {
  fileOf(file, "fsync");
}

// biome-ignore lint/correctness/useYield: nothing is to be asked
function* closing(file: unknown): Steps<void> {
  files.close(file);
}

const opening = (path: unknown, flags: unknown, mode: unknown): Steps<number> => {
  useNumbers({ read: readWhole, write: writeWhole });
  return files.open(path, flags, mode);
};

function readWhole(file: number, options: unknown): unknown {
  const encoding = typeof options === "string" ? options : (options as { encoding?: string } | undefined)?.encoding;
  const bytes: Buffer = now(files.readRest(fileOf(file, "read")));
  return encoding && encoding !== "buffer" ? inEncoding(bytes, encoding) : bytes;
}

function writeWhole(file: number, data: unknown, options: unknown): void {
  const encoding = typeof options === "string" ? options : (options as { encoding?: string } | undefined)?.encoding;
  now(files.write(fileOf(file, "write"), dataOf(data, encoding), null));
}

const reading = (file: unknown, buffer: unknown, given: readonly unknown[]): Steps<number> =>
  files.read(fileOf(file, "read"), ...partOf(buffer, given));
const writing = (file: unknown, data: unknown, given: readonly unknown[]): Steps<number> =>
  files.write(fileOf(file, "write"), ...writtenOf(data, given));
const truncating = (file: unknown, length: unknown): Steps<void> =>
  files.truncate(fileOf(file, "ftruncate"), typeof length === "number" ? Math.max(0, length) : 0);

export const openSync = (path: unknown, flags?: unknown, mode?: unknown): number => now(opening(path, flags, mode));
export const closeSync = (file: unknown): void => now(closing(file));
export const readSync = (file: unknown, buffer: unknown, ...given: unknown[]): number =>
  now(reading(file, buffer, given));
export const writeSync = (file: unknown, data: unknown, ...given: unknown[]): number => now(writing(file, data, given));
export const fstatSync = (file: unknown): Stats => now(statOf(file));
export const fsyncSync = (file: unknown): void => now(sync(file));
export const fdatasyncSync = (file: unknown): void => now(sync(file));
export const ftruncateSync = (file: unknown, length?: unknown): void => now(truncating(file, length));

/** The version of a function that calls back. */
const later =
  <Args extends unknown[], T>(steps: (...args: Args) => Steps<T>, answers: (answer: T, args: Args) => unknown[]) =>
  (...args: unknown[]): void => {
    const callback = args.pop() as Callback;
    if (typeof callback !== "function") throw wrongType("cb", "of type function");
    soon(steps(...(args as Args))).then(
      (answer) => callback(null, ...answers(answer, args as Args)),
      (error) => callback(error),
    );
  };

const one = (answer: unknown): unknown[] => [answer];
const none = (): unknown[] => [];
const withBuffer = (count: number, [, buffer]: unknown[]): unknown[] => [count, buffer];

export const open = /* @__PURE__ */ later(opening, one);
export const close = /* @__PURE__ */ later(closing, none);
export const fstat = /* @__PURE__ */ later(statOf, one);
export const fsync = /* @__PURE__ */ later(sync, none);
export const fdatasync = /* @__PURE__ */ later(sync, none);
export const ftruncate = /* @__PURE__ */ later(truncating, none);
export const read = /* @__PURE__ */ later(
  (file: unknown, buffer: unknown, ...given: unknown[]) => reading(file, buffer, given),
  withBuffer,
);
export const write = /* @__PURE__ */ later(
  (file: unknown, data: unknown, ...given: unknown[]) => writing(file, data, given),
  withBuffer,
);

export { opening, statOf, sync, truncating };
