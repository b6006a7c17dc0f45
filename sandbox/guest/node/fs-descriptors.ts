/** The functions of `node:fs` for open files, which go by their number. */
import { wrongType } from "./fault.ts";
import { fileAt, files, numberOf } from "./fs-numbers.ts";
import type { Stats } from "./fs-objects.ts";
import { open as opening } from "./fs-open.ts";
import { dataOf, type OpenFile } from "./fs-open-file.ts";
import { PLANS, type Plan } from "./fs-plans.ts";
import { later, none, now, one, type Steps } from "./fs-steps.ts";

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

/** Refuses at once what can be no number. Whether a file is open by it is found out with the steps, as in Node. */
function onFile<T>(number: unknown, syscall: string, act: (file: OpenFile) => Steps<T>): Steps<T> {
  const known = numberOf(number);
  return (function* () {
    return yield* act(fileAt(known, syscall));
  })();
}

export function* statOf({ path }: OpenFile): Steps<Stats> {
  return (yield PLANS.stat(path) as Plan<unknown>) as Stats;
}

/** What was written is with the system when the call returns: a hook cannot have it wait for the disk. */
function* nothing(): Steps<void> {}

const closing = (number: unknown): Steps<void> =>
  // biome-ignore lint/correctness/useYield: nothing is to be asked
  onFile(number, "close", function* () {
    files.delete(number as number);
  });
const facts = (number: unknown): Steps<Stats> => onFile(number, "fstat", statOf);
const sync = (number: unknown): Steps<void> => onFile(number, "fsync", nothing);
const dataSync = (number: unknown): Steps<void> => onFile(number, "fdatasync", nothing);
const truncating = (number: unknown, length: unknown): Steps<void> =>
  onFile(number, "ftruncate", (file) => file.truncate(length));
/** Modes and times are the path's, as all that is asked of an open file. */
export function* modeOf({ path }: OpenFile, mode: unknown): Steps<void> {
  yield { ...PLANS.chmod(path, mode), syscall: "fchmod" };
}
export function* timesOf({ path }: OpenFile, accessed: unknown, modified: unknown): Steps<void> {
  yield { ...PLANS.utimes(path, accessed, modified), syscall: "futime" };
}
const changingMode = (number: unknown, mode: unknown): Steps<void> =>
  onFile(number, "fchmod", (file) => modeOf(file, mode));
const changingTimes = (number: unknown, accessed: unknown, modified: unknown): Steps<void> =>
  onFile(number, "futime", (file) => timesOf(file, accessed, modified));
/** Of a path, by opening it. */
export function* shortening(path: unknown, length?: unknown): Steps<void> {
  const number = yield* opening(path, "r+", undefined);
  try {
    yield* fileAt(number, "ftruncate").truncate(length);
  } finally {
    files.delete(number);
  }
}
const reading = (number: unknown, buffer: unknown, given: readonly unknown[]): Steps<number> => {
  const part = partOf(buffer, given);
  return onFile(number, "read", (file) => file.read(...part));
};
const writing = (number: unknown, data: unknown, given: readonly unknown[]): Steps<number> => {
  const part = writtenOf(data, given);
  return onFile(number, "write", (file) => file.write(...part));
};

export const openSync = (path: unknown, flags?: unknown, mode?: unknown): number => now(opening(path, flags, mode));
export const closeSync = (file: unknown): void => now(closing(file));
export const readSync = (file: unknown, buffer: unknown, ...given: unknown[]): number =>
  now(reading(file, buffer, given));
export const writeSync = (file: unknown, data: unknown, ...given: unknown[]): number => now(writing(file, data, given));
export const fstatSync = (file: unknown): Stats => now(facts(file));
export const fsyncSync = (file: unknown): void => now(sync(file));
export const fdatasyncSync = (file: unknown): void => now(dataSync(file));
export const ftruncateSync = (file: unknown, length?: unknown): void => now(truncating(file, length));

export const fchmodSync = (file: unknown, mode: unknown): void => now(changingMode(file, mode));
export const futimesSync = (file: unknown, accessed: unknown, modified: unknown): void =>
  now(changingTimes(file, accessed, modified));
export const truncateSync = (path: unknown, length?: unknown): void => now(shortening(path, length));

const withBuffer = (count: number, [, buffer]: unknown[]): unknown[] => [count, buffer];

export const open = /* @__PURE__ */ later(opening, one);
const closeLater = /* @__PURE__ */ later(closing, none);
const unheard = (error: unknown): void => {
  if (error) throw error;
};
export const close = (file: unknown, done: unknown = unheard): void => closeLater(file, done);
export const fstat = /* @__PURE__ */ later(facts, one);
export const fsync = /* @__PURE__ */ later(sync, none);
export const fdatasync = /* @__PURE__ */ later(dataSync, none);
export const ftruncate = /* @__PURE__ */ later(truncating, none);
export const fchmod = /* @__PURE__ */ later(changingMode, none);
export const futimes = /* @__PURE__ */ later(changingTimes, none);
export const truncate = /* @__PURE__ */ later(shortening, none);
export const read = /* @__PURE__ */ later(
  (file: unknown, buffer: unknown, ...given: unknown[]) => reading(file, buffer, given),
  withBuffer,
  (args) => withBuffer(0, args),
);
export const write = /* @__PURE__ */ later(
  (file: unknown, data: unknown, ...given: unknown[]) => writing(file, data, given),
  withBuffer,
  (args) => withBuffer(0, args),
);
