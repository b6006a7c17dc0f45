import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import type { Recorded } from "./recorded.ts";

/** How much a recording may hold. */
export interface RecordingLimits {
  /** Events of a whole session, at some thousands of calls. */
  readonly events: number;
  readonly bytes: number;
  /** Of one line: an event with a whole conversation is no sample. */
  readonly lineBytes: number;
}

export const LIMITS: RecordingLimits = { events: 20_000, bytes: 32 * 1024 * 1024, lineBytes: 1024 * 1024 };
/** For the note about what was left out, which the last line gets afterwards. */
const ROOM = 200;

const refused = (path: string, why: string): CordonError => new CordonError("BAD_GRANT", `${path}: ${why}`);

/** A line of a recording before it is written. */
export type Line = object & { recorded: Recorded };

/** A recording that is being written: a new file, mode 0600. */
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
   * Makes `path`. Throws `BAD_GRANT` if it is there or its folder is not, and for a link, also one among the folders of the project
   * `cwd`: a repository could lead it elsewhere.
   */
  constructor(path: string, cwd: string, limits: RecordingLimits = LIMITS) {
    this.path = path;
    this.#limits = limits;
    refusePlace(path, cwd);
    try {
      // Of two processes that begin one at once, one makes it.
      const { O_RDWR, O_CREAT, O_EXCL } = constants;
      this.#file = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
    } catch (error) {
      throw isFileExists(error) ? alreadyThere(path) : error;
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
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
    } catch (error) {
      // Half a line would keep the whole from being read.
      ftruncateSync(this.#file, at);
      throw error;
    }
    this.#end = at + bytes.length;
  }

  /** Not if a person moved it, and has another file there. */
  #isAtPath(): boolean {
    return lstatSync(this.path, { throwIfNoEntry: false })?.ino === fstatSync(this.#file).ino;
  }

  close(): void {
    try {
      this.#noteGap();
      // An empty file would only be in the way of the next recording.
      if (this.#events + this.#left.events === 0 && this.#isAtPath()) rmSync(this.path);
    } finally {
      closeSync(this.#file);
    }
  }
}

/** Why no recording may be written there, if so. Looks, and changes nothing. */
export function recordingFault(path: string, cwd: string): string | undefined {
  try {
    refusePlace(path, cwd);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const alreadyThere = (path: string): CordonError =>
  refused(path, "there is such a file already, which stays as it is; name a new one");

function refusePlace(path: string, cwd: string): void {
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw refused(path, `there is no folder ${folder}`);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isSymbolicLink()) throw refused(path, "a link; a recording is never written through one");
  if (there) throw alreadyThere(path);
  const inside = relative(cwd, folder);
  if (inside.startsWith("..") || resolve(cwd, inside) !== join(cwd, inside)) return;
  if (realpathSync(folder) !== join(realpathSync(cwd), inside))
    throw refused(path, "a link is on the way to it; a recording is never written through one");
}

const isFileExists = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EEXIST";
