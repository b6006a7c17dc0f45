import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { RepeatedLock } from "../disk/repeated-lock.ts";

/** The number and the hash of the last line, which the next line follows. */
export interface Head {
  seq: number;
  prev: string;
}

/** A period of writing, while other hosts wait and the last line is known. */
interface Turn {
  readonly day: string;
  readonly file: number;
  readonly since: number;
  readonly unlock: () => void;
  size: number;
}

/** Lines within this time share a turn: taking a turn costs five times as much as writing a line. */
const TURN_MS = 2;

/** Longest line: a value, a path and the other fields, escaped. */
export const MAX_LINE = 64 * 1024;

/** Open chains by folder. Two hosts of one process share a chain, since neither could wait for the other's turn. */
const chains = new Map<string, AuditChain>();

// A turn must end with its process, or it would block the next one.
let ends = false;
function endWithProcess(): void {
  if (ends) return;
  ends = true;
  process.on("exit", () => {
    for (const chain of chains.values()) chain.end();
  });
}

/** The files of a log, as a chain that several processes write. */
export class AuditChain {
  readonly #folder: string;
  readonly #lock: RepeatedLock;
  #users = 0;
  #turn: Turn | undefined;
  #timer: NodeJS.Timeout | undefined;
  #known: { day: string; size: number; head: Head } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#lock = new RepeatedLock(join(folder, "chain"));
  }

  /** The chain of a folder. Close it as often as it was opened. */
  static open(folder: string): AuditChain {
    endWithProcess();
    const chain = chains.get(folder) ?? new AuditChain(folder);
    chains.set(folder, chain);
    chain.#users++;
    return chain;
  }

  /** Appends what `write` makes of the head. Throws if that could not be written as a whole; a part is removed again. */
  append(day: string, write: (head: Head) => { text: string; head: Head }): void {
    if (this.#turn && (this.#turn.day !== day || performance.now() - this.#turn.since > TURN_MS)) this.endTurn();
    this.#turn ??= this.#begin(day);
    const turn = this.#turn;
    if (this.#known?.day !== day || this.#known.size !== turn.size)
      this.#known = { day, size: turn.size, head: this.#lastHead() };
    const { text, head } = write(this.#known.head);
    const bytes = Buffer.byteLength(text);
    try {
      if (writeSync(turn.file, text) !== bytes) throw new Error("no space left");
    } catch (error) {
      ftruncateSync(turn.file, turn.size);
      throw error;
    }
    turn.size += bytes;
    this.#known = { day, size: turn.size, head };
  }

  close(): void {
    if (--this.#users > 0) return;
    this.end();
    chains.delete(this.#folder);
  }

  /** Ends the turn and closes the file. */
  end(): void {
    this.endTurn();
    this.#lock.close();
  }

  #begin(day: string): Turn {
    const path = join(this.#folder, `${day}.jsonl`);
    const file = openLog(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
    try {
      const unlock = this.#lock.take();
      this.#timer = setTimeout(() => this.endTurn(), TURN_MS);
      this.#timer.unref();
      return { day, file, since: performance.now(), unlock, size: fstatSync(file).size };
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Ends the turn, so that others can write. */
  endTurn(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    clearTimeout(this.#timer);
    try {
      closeSync(turn.file);
      turn.unlock();
    } catch {
      // A timer runs this, so nobody could handle the error. The next line finds out if the folder was replaced.
    }
  }

  /** The head of a log: its last line may be another host's. */
  #lastHead(): Head {
    let newest = "";
    for (const name of auditFiles(this.#folder).reverse()) {
      newest = lastLine(join(this.#folder, name));
      if (newest !== "") break;
    }
    const { seq } = attemptOr(() => Object(JSON.parse(newest)) as { seq?: unknown }, { seq: 0 });
    return { seq: Number.isSafeInteger(seq) ? (seq as number) : 0, prev: hash("sha256", newest) };
  }
}

/** The files of a log in order, one for each day. */
export const auditFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}-\d{2}-\d{2}\.jsonl$/.test(name))
    .sort();

/** Empty if the file has none. */
function lastLine(path: string): string {
  const file = openLog(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, MAX_LINE);
    const tail = Buffer.alloc(length);
    readSync(file, tail, 0, length, size - length);
    return tail.toString("utf8").trimEnd().split("\n").at(-1) as string;
  } finally {
    closeSync(file);
  }
}

/** Opens a file of the log. Throws if it is a link, or no regular file. */
export function openLog(path: string, flags: number): number {
  for (;;) {
    let file: number;
    try {
      // If a pipe or a link replaced the log, writing would block the agent or go elsewhere.
      file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || existsSync(dirname(path))) throw error;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      continue;
    }
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    throw new Error(`${path}: not a regular file`);
  }
}
