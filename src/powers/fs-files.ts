import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { LargeValue } from "../base/large-value.ts";
import { fsError } from "./fs-error.ts";
import { type CheckedPath, openFile, wayTo } from "./fs-path.ts";
import type { Pieces } from "./fs-work.ts";

/** Most bytes that one call reads or writes, and most entries that it lists or removes. */
const MAX_BYTES = 5 * 1024 * 1024;
/** Most bytes of a text as JSON, so that it fits a frame with what is around it. */
const MAX_TEXT = MAX_FRAME_BYTES - 1024;
const COPY_LIMIT = 64 * 1024 * 1024;
/** Bytes that are read, copied or written in one piece. Pieces of a multiple of three can be joined as base64. */
const PART = 255 * 1024;

const tooLarge = (bytes: number, asked: string, most = MAX_BYTES): Error =>
  fsError("EFBIG", `${bytes} bytes are more than a hook handles at once (${most}), '${asked}'`);

/** Text where it was asked for and fits a frame as JSON, else bytes in base64. */
export function* read(
  checked: CheckedPath,
  [encoding, from, length]: readonly unknown[],
): Pieces<{ text: string } | { base64: string } | LargeValue> {
  const file = openFile(checked, constants.O_RDONLY);
  try {
    const start = (from as number | undefined) ?? 0;
    const whole = Math.max(0, fstatSync(file).size - start);
    const wanted = Math.min((length as number | undefined) ?? whole, whole);
    if (wanted > MAX_BYTES) throw tooLarge(wanted, checked.asked);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const count = readSync(file, bytes, filled, Math.min(PART, wanted - filled), start + filled);
      if (count === 0) break;
      filled += count;
      if (filled < wanted) yield;
    }
    if (encoding === "utf8") {
      const text = bytes.toString("utf8", 0, filled);
      if (filled <= PART) return { text };
      yield;
      const json = yield* asText(text);
      if (json) return json;
    }
    return filled <= PART
      ? { base64: bytes.toString("base64", 0, filled) }
      : yield* inBase64(bytes.subarray(0, filled));
  } finally {
    closeSync(file);
  }
}

/** `undefined` if its JSON is too long. */
function* asText(text: string): Pieces<LargeValue | undefined> {
  const parts = [Buffer.from('{"text":"')];
  let length = 0;
  for (let at = 0; at < text.length; at += PART) {
    // Half a surrogate pair is escaped, and is whole again where it is read.
    const part = Buffer.from(JSON.stringify(text.slice(at, at + PART)).slice(1, -1));
    parts.push(part);
    length += part.length;
    if (length > MAX_TEXT) return undefined;
    yield;
  }
  parts.push(Buffer.from('"}'));
  return new LargeValue(parts);
}

function* inBase64(bytes: Buffer): Pieces<LargeValue> {
  const parts = [Buffer.from('{"base64":"')];
  for (let at = 0; at < bytes.length; at += PART) {
    parts.push(Buffer.from(bytes.toString("base64", at, at + PART), "latin1"));
    yield;
  }
  parts.push(Buffer.from('"}'));
  return new LargeValue(parts);
}

export function bytesOf(encoding: unknown, data: unknown, checked: CheckedPath): Buffer {
  const bytes = Buffer.from(data as string, encoding as "utf8" | "base64");
  if (bytes.length > MAX_BYTES) throw tooLarge(bytes.length, checked.asked);
  return bytes;
}

function writeAll(file: number, bytes: Buffer): void {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent);
}

export function* writeInParts(file: number, bytes: Buffer): Pieces<void> {
  for (let at = 0; at < bytes.length; at += PART) {
    writeAll(file, bytes.subarray(at, at + PART));
    yield;
  }
}

/** What a file that is to be replaced is now; `undefined` if it is not there. Throws for what must not be replaced. */
function replaceable(path: string, exclusive: boolean): Stats | undefined {
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old && exclusive) throw fsError("EEXIST", "file already exists", "open");
  if (old?.isDirectory()) throw fsError("EISDIR", "illegal operation on a directory", "open");
  if (old && (!old.isFile() || old.nlink > 1)) throw fsError("EINVAL", "not a regular file with one name", "open");
  return old;
}

/** Replaces a file as a whole, or not at all: `fill` writes to a new file in the same folder. */
export function* replace(
  checked: CheckedPath,
  mode: number,
  exclusive: boolean,
  fill: (file: number) => Pieces<void>,
): Pieces<void> {
  using way = wayTo(checked);
  const { path } = way;
  const draft = join(dirname(path), `.cordon-${randomBytes(8).toString("hex")}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = openSync(draft, flags, replaceable(path, exclusive) ? 0o600 : mode);
  let isDone = false;
  try {
    yield* fill(file);
    way.check();
    const old = replaceable(path, exclusive);
    if (old) fchmodSync(file, old.mode & 0o777);
    renameSync(draft, path);
    isDone = true;
    way.check();
  } finally {
    closeSync(file);
    if (!isDone) unlinkSync(draft);
  }
}

export function append(checked: CheckedPath, bytes: Buffer, mode: number): void {
  const file = openFile(checked, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, { alone: true, mode });
  try {
    writeAll(file, bytes);
  } finally {
    closeSync(file);
  }
}

export function* copy(from: CheckedPath, to: CheckedPath, exclusive: boolean): Pieces<void> {
  const source = openFile(from, constants.O_RDONLY);
  try {
    const status = fstatSync(source);
    if (status.size > COPY_LIMIT) throw tooLarge(status.size, from.asked, COPY_LIMIT);
    yield* replace(to, status.mode & 0o777, exclusive, function* fill(file) {
      const bytes = Buffer.allocUnsafe(PART);
      for (let at = 0; at < status.size; ) {
        const count = readSync(source, bytes, 0, Math.min(bytes.length, status.size - at), at);
        if (count === 0) return;
        writeAll(file, bytes.subarray(0, count));
        at += count;
        yield;
      }
    });
  } finally {
    closeSync(source);
  }
}
