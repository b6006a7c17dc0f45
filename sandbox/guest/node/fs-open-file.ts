/**
 * Open files over the hook's `fs` power. A number stands for a path, which is asked for again at each use: a file that is
 * renamed or removed while it is open is not found any more. What is not added to the end is written by replacing the file.
 */
import { Buffer } from "./buffer.ts";
import { fault, wrongType } from "./fault.ts";
import { type Opening, openingOf } from "./fs-flags.ts";
import { badNumber } from "./fs-numbers.ts";
import type { Stats } from "./fs-objects.ts";
import { PLANS, type Plan, pathOf, plan, run, runNow } from "./fs-plans.ts";
import { bytesOf, fromBase64Text, MAX_BYTES } from "./wire-data.ts";

/** Operations one after the other, which may block the hook or not. */
export type Steps<T> = Generator<Plan<unknown>, T, unknown>;

/** Most files that a hook has open at once. */
const MAX_OPEN = 1024;
/** Most bytes that are read at once. */
const PART = 1024 * 1024;

export interface OpenFile {
  readonly path: string;
  readonly opening: Opening;
  position: number;
  /** What is in a file that this opening emptied or made: it need not be read to be changed. */
  content: Uint8Array | undefined;
}

const files = /* @__PURE__ */ new Map<number, OpenFile>();

export function fileOf(number: unknown, syscall: string): OpenFile {
  if (typeof number !== "number") throw wrongType("fd", "of type number");
  const file = files.get(number);
  if (!file) throw badNumber(syscall);
  return file;
}

export function now<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    let answer: unknown;
    try {
      answer = runNow(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
}

export async function soon<T>(steps: Steps<T>): Promise<T> {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    let answer: unknown;
    try {
      answer = await run(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
}

/** Resolves with the number of the file. */
export function* open(name: unknown, flags: unknown, mode: unknown): Steps<number> {
  const path = pathOf(name);
  const opening = openingOf(flags);
  if (files.size >= MAX_OPEN) throw fault(Error, "EMFILE", `EMFILE: too many open files, open '${path}'`);
  if (opening.followsNoLink || opening.isFolder) yield* checkKind(path, opening);
  const bits = { mode: mode as number };
  let content: Uint8Array | undefined;
  if (opening.isNew || (opening.empties && opening.writes && opening.creates)) {
    yield PLANS.writeFile(path, "", { flag: opening.isNew ? "wx" : "w", ...bits });
    content = new Uint8Array(0);
  } else if (opening.writes && opening.creates) {
    // An addition of nothing leaves a file as it is, and makes one that is missing.
    yield PLANS.appendFile(path, "", bits);
  } else {
    if (opening.writes) yield plan("fs.writable", [path], "open", () => {});
    if (opening.reads) yield* mayRead(path);
    if (opening.empties && opening.writes) yield PLANS.writeFile(path, "");
  }
  for (let number = 3; ; number++) {
    if (files.has(number)) continue;
    files.set(number, { path, opening, position: 0, content });
    return number;
  }
}

function* checkKind(path: string, { followsNoLink, isFolder }: Opening): Steps<void> {
  let facts: Stats;
  try {
    facts = (yield PLANS.lstat(path)) as Stats;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return;
    throw error;
  }
  const named = { syscall: "open", path };
  if (followsNoLink && facts.isSymbolicLink())
    throw fault(Error, "ELOOP", `ELOOP: too many symbolic links encountered, open '${path}'`, { errno: -40, ...named });
  if (isFolder && facts.isFile())
    throw fault(Error, "ENOTDIR", `ENOTDIR: not a directory, open '${path}'`, { errno: -20, ...named });
}

/** A folder can be opened, too: some do so to have it written through. */
function* mayRead(path: string): Steps<void> {
  try {
    yield plan("fs.read", [path, "base64", 0, 0], "open", () => {});
  } catch (error) {
    if ((error as { code?: string }).code !== "EISDIR") throw error;
  }
}

export function close(number: unknown): void {
  fileOf(number, "close");
  files.delete(number as number);
}

const part = (path: string, from: number, length: number): Plan<unknown> =>
  plan("fs.read", [path, "base64", from, length], "read", (answer) =>
    "text" in answer ? Buffer.from(answer.text) : fromBase64Text(answer.base64),
  );

/** Reads into `target`; without a position, on from where the last read ended. Resolves with how many bytes there were. */
export function* read(file: OpenFile, target: Uint8Array, position: number | null): Steps<number> {
  if (!file.opening.reads) throw badNumber("read");
  const from = position ?? file.position;
  let filled = 0;
  while (filled < target.length) {
    const wanted = Math.min(PART, target.length - filled);
    const bytes = (yield part(file.path, from + filled, wanted)) as Uint8Array;
    target.set(bytes, filled);
    filled += bytes.length;
    if (bytes.length < wanted) break;
  }
  if (position === null) file.position = from + filled;
  return filled;
}

/** The file from its position on. */
export function* readRest(file: OpenFile): Steps<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const target = new Uint8Array(PART);
    const count = yield* read(file, target, null);
    parts.push(target.subarray(0, count));
    if (count < PART) return Buffer.concat(parts);
    if (parts.length * PART > MAX_BYTES)
      throw fault(Error, "EFBIG", `EFBIG: more than a hook handles at once (${MAX_BYTES}), '${file.path}'`);
  }
}

/** Writes; without a position, on from where the last write ended. Resolves with how many bytes were written. */
export function* write(file: OpenFile, data: Uint8Array, position: number | null): Steps<number> {
  const { path, opening, content } = file;
  if (!opening.writes) throw badNumber("write");
  const at = position ?? file.position;
  if (opening.appends) yield PLANS.appendFile(path, data);
  else if (content && at === content.length) {
    yield PLANS.appendFile(path, data);
    file.content = joined(content, data, at);
  } else yield* change(file, (old) => joined(old, data, at));
  if (position === null) file.position = at + data.length;
  return data.length;
}

export function* truncate(file: OpenFile, length: number): Steps<void> {
  if (!file.opening.writes) throw badNumber("ftruncate");
  yield* change(file, (old) =>
    joined(old.subarray(0, length), new Uint8Array(Math.max(0, length - old.length)), Math.min(length, old.length)),
  );
}

function* change(file: OpenFile, changed: (old: Uint8Array) => Uint8Array): Steps<void> {
  const old = file.content ?? ((yield PLANS.readFile(file.path)) as Uint8Array);
  const fresh = changed(old);
  yield PLANS.writeFile(file.path, fresh);
  if (file.content) file.content = fresh;
}

function joined(old: Uint8Array, data: Uint8Array, at: number): Uint8Array {
  const length = Math.max(old.length, at + data.length);
  if (length > MAX_BYTES)
    throw fault(Error, "EFBIG", `EFBIG: ${length} bytes are more than a hook handles at once (${MAX_BYTES})`);
  const whole = new Uint8Array(length);
  whole.set(old);
  whole.set(data, at);
  return whole;
}

/** The bytes of what a call writes. */
export function dataOf(data: unknown, encoding?: unknown): Uint8Array {
  const bytes = data instanceof ArrayBuffer ? undefined : bytesOf(data, encoding as string | undefined);
  if (!bytes) throw wrongType("buffer", "of type string or an instance of Buffer, TypedArray, or DataView");
  return bytes;
}
