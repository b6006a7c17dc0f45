import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { isRecordedLine, type Recorded } from "./recorded.ts";

/** How much a recording may hold. */
export interface RecordingLimits {
  /** Events of a whole session, at some thousands of calls. */
  readonly events: number;
  readonly bytes: number;
  /** Of one line: an event with a whole conversation is no sample. */
  readonly lineBytes: number;
}

export const LIMITS: RecordingLimits = { events: 20_000, bytes: 32 * 1024 * 1024, lineBytes: 1024 * 1024 };
/** Of the first line of a file, as far as it is looked at. */
const MAX_LINE = 4 * 1024 * 1024;
/** For the note about what was left out, which the last line gets afterwards. */
const ROOM = 200;

const refused = (path: string, why: string): CordonError => new CordonError("BAD_GRANT", `${path}: ${why}`);

/** A line of a recording before it is written. */
export type Line = object & { recorded: Recorded };

/** A recording that is being written: a regular file of this user, mode 0600. */
export class RecordingFile {
  readonly path: string;
  readonly #file: number;
  readonly #limits: RecordingLimits;
  #events = 0;
  /** Where the last line begins, and where it ends. */
  #last: { line: Line; at: number } | undefined;
  #end = 0;
  #gap = { events: 0, bytes: 0 };
  #left = { events: 0, bytes: 0 };

  /**
   * Opens `path`. Throws `BAD_GRANT` for a file that is no recording, and for a link, also one among the folders of the project
   * `cwd`: a repository could lead it elsewhere.
   */
  constructor(path: string, cwd: string, limits: RecordingLimits = LIMITS) {
    this.path = path;
    this.#limits = limits;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    refuseLinks(path, cwd);
    const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    this.#file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      refuseOthers(this.#file, path);
      ftruncateSync(this.#file, 0);
      fchmodSync(this.#file, 0o600);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  get events(): number {
    return this.#events;
  }

  /** What is not in the file. */
  get leftOut(): { events: number; bytes: number } {
    return this.#left;
  }

  /** Appends an event, or counts it as left out. Throws if it cannot be written. */
  add(line: Line): void {
    const text = `${JSON.stringify(line)}\n`;
    const bytes = Buffer.byteLength(text);
    const { events, bytes: most, lineBytes } = this.#limits;
    if (this.#events >= events || bytes > lineBytes || this.#end + bytes + ROOM > most) {
      this.leaveOut(bytes);
      return;
    }
    this.#noteGap();
    this.#last = { line, at: this.#end };
    this.#write(text, this.#end);
    this.#events++;
  }

  /** Counts an event that is not written. */
  leaveOut(bytes: number): void {
    const isFirst = this.#gap.events === 0;
    for (const sum of [this.#gap, this.#left]) {
      sum.events++;
      sum.bytes += bytes;
    }
    // Said at once, for a session that is cut off, and counted later.
    if (isFirst) this.#rewrite();
  }

  #noteGap(): void {
    if (this.#gap.events > 1) this.#rewrite();
    this.#gap = { events: 0, bytes: 0 };
  }

  /** Says in the last line what is missing after it. */
  #rewrite(): void {
    if (!this.#last) return;
    const { line, at } = this.#last;
    const noted = { ...line, recorded: { ...line.recorded, leftOut: { ...this.#gap } } };
    this.#write(`${JSON.stringify(noted)}\n`, at);
    ftruncateSync(this.#file, this.#end);
  }

  #write(text: string, at: number): void {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
    this.#end = at + bytes.length;
  }

  close(): void {
    try {
      this.#noteGap();
    } finally {
      closeSync(this.#file);
    }
  }
}

/** Why no recording may be written there, if so. Looks, and changes nothing. */
export function recordingFault(path: string, cwd: string): string | undefined {
  try {
    if (existsSync(dirname(path))) refuseLinks(path, cwd);
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    if (!existsSync(path)) return undefined;
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      refuseOthers(file, path);
    } finally {
      closeSync(file);
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function refuseLinks(path: string, cwd: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw refused(path, "a link; a recording is never written through one");
  const inside = relative(cwd, dirname(path));
  if (inside.startsWith("..") || resolve(cwd, inside) !== join(cwd, inside)) return;
  if (realpathSync(dirname(path)) !== join(realpathSync(cwd), inside))
    throw refused(path, "a link is on the way to it; a recording is never written through one");
}

function refuseOthers(file: number, path: string): void {
  const status = fstatSync(file);
  if (!status.isFile()) throw refused(path, "not a regular file");
  if (status.nlink > 1) throw refused(path, "a file with several names; name another one for the recording");
  if (status.size === 0) return;
  const start = Buffer.alloc(Math.min(status.size, MAX_LINE));
  const text = start.toString("utf8", 0, readSync(file, start, 0, start.length, 0));
  if (!isRecordedLine(text.split("\n", 1)[0] ?? ""))
    throw refused(path, "it is no recording, and stays as it is; name another file");
}
