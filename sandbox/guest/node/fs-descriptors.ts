/** Descriptors of `node:fs`: each operation is a few requests, which the synchronous and the other versions share. */
import { Buffer } from "unenv/node/buffer";
import { fault, wrongType } from "./fault.ts";
import type { Stats } from "./fs-objects.ts";
import { forget, keep, type OpenFile, opened } from "./fs-open-files.ts";
import { PLANS, type Plan, pathOf, plan, run, runNow } from "./fs-plans.ts";
import { fromBase64Text, MAX_BYTES } from "./wire-data.ts";

/** Requests in turn; each `yield` gives the answer to one. */
export type Steps<T> = Generator<Plan<unknown>, T, unknown>;

export function doNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(runNow(step.value));
  return step.value;
}

export async function doSoon<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await run(step.value));
  return step.value;
}

/** Bits of numeric flags, as on Linux. */
export const O = { RDONLY: 0, WRONLY: 1, RDWR: 2, CREAT: 0o100, EXCL: 0o200, TRUNC: 0o1000, APPEND: 0o2000 };

const FLAGS: ReadonlyMap<string, number> = new Map([
  ["r", O.RDONLY],
  ["r+", O.RDWR],
  ["w", O.WRONLY | O.CREAT | O.TRUNC],
  ["w+", O.RDWR | O.CREAT | O.TRUNC],
  ["a", O.WRONLY | O.CREAT | O.APPEND],
  ["a+", O.RDWR | O.CREAT | O.APPEND],
]);

function bitsOf(flags: unknown): number {
  if (typeof flags === "number") return flags;
  const text = String(flags);
  const bits = FLAGS.get(text.replace(/[xs]/g, ""));
  if (bits === undefined) throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `the flag ${text} is not offered to hooks`);
  return text.includes("x") ? bits | O.EXCL : bits;
}

const W_OK = 2;

const exists = (path: string): Plan<unknown> => plan("fs.stat", [path], "open", () => undefined);

export function* open(path: unknown, flags: unknown = "r", mode?: unknown): Steps<number> {
  const named = pathOf(path);
  const bits = bitsOf(flags);
  const has = (bit: number): boolean => (bits & bit) !== 0;
  const writes = has(O.WRONLY | O.RDWR);
  const options = { mode: mode as number };
  if (has(O.CREAT) && has(O.EXCL)) yield PLANS.writeFile(named, "", { ...options, flag: "wx" });
  else if (writes && has(O.TRUNC)) {
    if (!has(O.CREAT)) yield exists(named);
    yield PLANS.writeFile(named, "", options);
  } else if (has(O.CREAT)) yield PLANS.appendFile(named, "", options);
  else {
    yield exists(named);
    if (writes) yield PLANS.access(named, W_OK);
  }
  const isAtEnd = has(O.APPEND) || has(O.TRUNC) || has(O.EXCL);
  return keep({ path: named, reads: !has(O.WRONLY), writes, appends: has(O.APPEND), position: 0, isAtEnd });
}

const bytesIn = (answer: { text: string } | { base64: string }): Uint8Array =>
  "text" in answer ? Buffer.from(answer.text) : fromBase64Text(answer.base64);

/** `position`: where to read, without moving; else from where the last one ended. Fewer bytes than asked for at the end. */
export function* read(
  descriptor: unknown,
  into: Uint8Array,
  offset = 0,
  length = into.byteLength - offset,
  position?: number | bigint | null,
): Steps<number> {
  const file = opened(descriptor, "read", "reads");
  if (!(into instanceof Uint8Array)) throw wrongType("buffer", "an instance of Buffer, TypedArray, or DataView");
  if (offset < 0 || length < 0 || offset + length > into.byteLength)
    throw fault(RangeError, "ERR_OUT_OF_RANGE", `The value of "length" is out of range: ${length}`);
  const isElsewhere = position !== undefined && position !== null && Number(position) >= 0;
  const from = isElsewhere ? Number(position) : file.position;
  if (length === 0) return 0;
  const asked = plan("fs.read", [file.path, "base64", from, Math.min(length, MAX_BYTES)], "read", bytesIn);
  const bytes = (yield asked) as Uint8Array;
  into.set(bytes, offset);
  if (!isElsewhere) file.position += bytes.length;
  return bytes.length;
}

export function* write(descriptor: unknown, bytes: Uint8Array, position?: number | null): Steps<number> {
  const file = opened(descriptor, "write", "writes");
  const isElsewhere = typeof position === "number" && !file.appends;
  const from = isElsewhere ? position : file.position;
  const { size } = file.appends ? { size: from } : ((yield PLANS.stat(file.path)) as Stats & { size: number });
  if (file.appends || from === size) yield PLANS.appendFile(file.path, bytes);
  else {
    yield* patch(file, size, from, bytes);
    file.isAtEnd = false;
  }
  if (!isElsewhere) file.position = from + bytes.length;
  return bytes.length;
}

/** The host replaces files whole. */
function* patch({ path }: OpenFile, size: number, from: number, bytes: Uint8Array): Steps<void> {
  const end = Math.max(size, from + bytes.length);
  if (end > MAX_BYTES) throw fault(Error, "EFBIG", `EFBIG: file too large, write '${path}'`);
  const content = new Uint8Array(end);
  content.set((yield PLANS.readFile(path)) as Uint8Array);
  content.set(bytes, from);
  yield PLANS.writeFile(path, content);
}

export function* truncate(descriptor: unknown, length = 0): Steps<void> {
  const file = opened(descriptor, "ftruncate", "writes");
  if (length > MAX_BYTES) throw fault(Error, "EFBIG", `EFBIG: file too large, ftruncate '${file.path}'`);
  const content = new Uint8Array(length);
  if (length > 0) content.set(((yield PLANS.readFile(file.path)) as Uint8Array).subarray(0, length));
  yield PLANS.writeFile(file.path, content);
}

export function* stat(descriptor: unknown): Steps<Stats> {
  return (yield PLANS.stat(opened(descriptor, "fstat").path)) as Stats;
}

/** What was written is with the host already. */
// biome-ignore lint/correctness/useYield: steps like the others
export function* sync(descriptor: unknown): Steps<void> {
  opened(descriptor, "fsync");
}

// biome-ignore lint/correctness/useYield: steps like the others
export function* close(descriptor: number): Steps<void> {
  opened(descriptor, "close");
  forget(descriptor);
}
