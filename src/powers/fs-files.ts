import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  read as readCallback,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  write as writeCallback,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { LargeValue } from "../base/large-value.ts";
import { textOf } from "../base/utf8.ts";
import { fsError } from "./fs-error.ts";
import { freeing } from "./fs-freeing.ts";
import { type CheckedPath, openFile, wayTo } from "./fs-path.ts";
import { elsewhere, type Pieces } from "./fs-work.ts";

/** Most bytes that one call reads or writes, and most entries that it lists or removes. */
const MAX_BYTES = 5 * 1024 * 1024;
/** Most bytes of a text as JSON, so that it fits a frame with what is around it. */
const MAX_TEXT = MAX_FRAME_BYTES - 1024;
const COPY_LIMIT = 64 * 1024 * 1024;
/** Bytes that are read, copied or written in one piece. Pieces of a multiple of three can be joined as base64. */
export const PART = 255 * 1024;

const readLater = (file: number, bytes: Buffer, at: number): Promise<number> =>
  new Promise((resolve, reject) =>
    readCallback(file, bytes, 0, bytes.length, at, (error, count) => (error ? reject(error) : resolve(count))),
  );
const writeLater = (file: number, bytes: Buffer): Promise<number> =>
  new Promise((resolve, reject) =>
    writeCallback(file, bytes, (error, count) => (error ? reject(error) : resolve(count))),
  );

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
      const text = textOf(bytes, 0, filled);
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

/** What a hook writes: the bytes of a text, or bytes. */
export type Content = string | Buffer;

/** Throws for more than one call may write. */
export function contentOf(encoding: unknown, data: unknown, checked: CheckedPath): Content {
  const content = encoding === "utf8" ? (data as string) : Buffer.from(data as string, "base64");
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_BYTES) throw tooLarge(bytes, checked.asked);
  return content;
}

function writeAll(file: number, bytes: Buffer): void {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent);
}

/** Each part of a text has left it when the next is made: five megabytes of new memory would be milliseconds of the host's time. */
const part = Buffer.allocUnsafeSlow(3 * PART);

export function* writeInParts(file: number, content: Content): Pieces<void> {
  // To read it out of its frame took much of this turn.
  if (content.length > PART) yield 0;
  for (let at = 0; at < content.length; ) {
    const end = typeof content === "string" ? endOfPart(content, at) : at + PART;
    if (typeof content === "string") writeAll(file, part.subarray(0, part.write(content.slice(at, end))));
    else writeAll(file, content.subarray(at, end));
    at = end;
    yield;
  }
}

/** A part ends with no half of a character. */
function endOfPart(text: string, at: number): number {
  const last = text.charCodeAt(at + PART - 1);
  return last >= 0xd800 && last < 0xdc00 ? at + PART - 1 : at + PART;
}

/** What a file that is to be replaced is now; `undefined` if it is not there. Throws for what must not be replaced. */
function replaceable(path: string, exclusive: boolean): Stats | undefined {
  const old = lstatSync(path, { throwIfNoEntry: false });
  if (old && exclusive) throw fsError("EEXIST", "file already exists", "open");
  if (old?.isDirectory()) throw fsError("EISDIR", "illegal operation on a directory", "open");
  if (old && (!old.isFile() || old.nlink > 1)) throw fsError("EINVAL", "not a regular file with one name", "open");
  return old;
}

/** Hears of a file that was written: as it was before it had its name, and as it is since. */
export type Wrote = (written: BigIntStats, now: BigIntStats) => void;

/** Replaces a file as a whole, or not at all: `fill` writes to a new file in the same folder. */
export function* replace(
  checked: CheckedPath,
  mode: number,
  exclusive: boolean,
  fill: (file: number) => Pieces<void>,
  wrote: Wrote = () => {},
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
    // What may be written there was looked at before: a folder that is called otherwise now may hold settings.
    way.stays();
    yield* freeing(path, () => {
      if (!isItself(draft, file)) throw fsError("ENOENT", "its draft was taken away", "open");
      const old = replaceable(path, exclusive);
      if (old) fchmodSync(file, old.mode & 0o777);
      const written = fstatSync(file, { bigint: true });
      renameSync(draft, path);
      isDone = true;
      wrote(written, fstatSync(file, { bigint: true }));
      way.check();
    });
  } finally {
    if (!isDone && isItself(draft, file)) unlinkSync(draft);
    closeSync(file);
  }
}

/** Whether a draft is still what was made: who may write in its folder can put anything in its place between two parts. */
function isItself(draft: string, file: number): boolean {
  const [there, made] = [lstatSync(draft, { throwIfNoEntry: false }), fstatSync(file)];
  return there?.ino === made.ino && there.dev === made.dev && made.nlink === 1;
}

export function* append(checked: CheckedPath, content: Content, mode: number): Pieces<void> {
  const file = openFile(checked, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, { alone: true, mode });
  try {
    yield* writeInParts(file, content);
  } finally {
    closeSync(file);
  }
}

/** Copies up to a part, on a thread of Node's: a disk that is busy may take long. Resolves to its bytes; 0 at the end. */
export async function copyPart(source: number, file: number, bytes: Buffer, at: number): Promise<number> {
  const count = await readLater(source, bytes, at);
  for (let sent = 0; sent < count; ) sent += await writeLater(file, bytes.subarray(sent, count));
  return count;
}

export function* copy(from: CheckedPath, to: CheckedPath, exclusive: boolean): Pieces<void> {
  const source = openFile(from, constants.O_RDONLY);
  try {
    const status = fstatSync(source);
    if (status.size > COPY_LIMIT) throw tooLarge(status.size, from.asked, COPY_LIMIT);
    yield* replace(to, status.mode & 0o777, exclusive, function* fill(file) {
      const bytes = Buffer.allocUnsafe(PART);
      for (let at = 0; at < status.size; ) {
        const place = at;
        const count = yield* elsewhere(() =>
          copyPart(source, file, bytes.subarray(0, Math.min(bytes.length, status.size - place)), place),
        );
        if (count === 0) return;
        at += count;
      }
    });
  } finally {
    closeSync(source);
  }
}
