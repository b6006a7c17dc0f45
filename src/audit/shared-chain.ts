import { closeSync, constants, ftruncateSync } from "node:fs";
import { join } from "node:path";
import { RepeatedLock } from "../disk/repeated-lock.ts";
import type { Chain, Written } from "./chain.ts";
import { EMPTY, type Head, headAfter } from "./line.ts";
import { auditFiles, type LogFile, lastLine, logFileName, openLog, SHARED, tailOf } from "./log-files.ts";
import { writeWhole } from "./write-whole.ts";

/** How far a clock is set back, at the most. A file of a day far from now is not one that this log had. */
const MOST_BACK_MS = 48 * 60 * 60 * 1000;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A period of writing, while other processes wait and the last line is known. */
interface Turn {
  readonly day: string;
  readonly file: number;
  readonly since: number;
  readonly unlock: () => void;
  size: number;
}

/** Lines within this time share a turn: taking a turn costs five times as much as writing a line. */
const TURN_MS = 2;

/** The chain that several processes write, one after another: `<day>.jsonl`. It says what became of all other chains. */
export class SharedChain implements Chain {
  readonly #folder: string;
  readonly #lock: RepeatedLock;
  #turn: Turn | undefined;
  #timer: NodeJS.Timeout | undefined;
  #known: { day: string; size: number; head: Head } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#lock = new RepeatedLock(join(folder, "chain"));
  }

  /**
   * Returns what `write` returned.
   *
   * @param patience how long it may wait for other processes, in ms
   */
  append<Result extends Written>(day: string, write: (head: Head) => Result, patience?: number): Result {
    if (this.#turn && (this.#turn.day < day || performance.now() - this.#turn.since > TURN_MS)) this.endTurn();
    this.#turn ??= this.#begin(day, patience);
    const turn = this.#turn;
    if (this.#known?.day !== turn.day || this.#known.size !== turn.size)
      this.#known = { day: turn.day, size: turn.size, head: this.#lastHead() };
    const written = write(this.#known.head);
    turn.size = writeWhole(turn.file, turn.size, written.text);
    this.#known = { day: turn.day, size: turn.size, head: written.head };
    return written;
  }

  end(): void {
    this.endTurn();
    this.#lock.close();
  }

  #begin(day: string, patience?: number): Turn {
    const unlock = this.#lock.take(patience);
    try {
      // Whoever had the lock may have begun the next day.
      const today = dayOf(Date.now());
      // A clock that was set back would have lines follow those of a later file.
      const last = this.#known?.day ?? this.#newestDay();
      const newest = [today, day, last].sort().at(-1) as string;
      const path = join(this.#folder, logFileName(newest, SHARED));
      const file = openLog(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
      this.#timer = setTimeout(() => this.endTurn(), TURN_MS);
      this.#timer.unref();
      return { day: newest, file, since: performance.now(), unlock, size: withoutTornLine(file) };
    } catch (error) {
      unlock();
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

  #newestDay(): string {
    return this.#files().at(-1)?.day ?? "";
  }

  /** Its files, but for those of days far ahead: the clock was wrong then, and all lines until those days would be theirs. */
  #files(): LogFile[] {
    const last = dayOf(Date.now() + MOST_BACK_MS);
    return auditFiles(this.#folder).filter(({ chain, day }) => chain === SHARED && day <= last);
  }

  /** Its last line may be another process's, and of another day. */
  #lastHead(): Head {
    for (const { name } of this.#files().reverse()) {
      const newest = lastLine(join(this.#folder, name));
      if (newest !== "") return headAfter(newest);
    }
    return EMPTY;
  }
}

/**
 * Cuts off what follows the last line break: its process died before it could use the outcome that stood there. Returns the
 * size that is left.
 */
function withoutTornLine(file: number): number {
  const { size, torn } = tailOf(file);
  if (torn > 0) ftruncateSync(file, size - torn);
  return size - torn;
}
