import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { ownerIn, uniqueName, whereabouts } from "../disk/process-owner.ts";
import type { Chain, Written } from "./chain.ts";
import { EMPTY, type Head, headAfter } from "./line.ts";
import { auditFiles, lastLine, logFileName, openLog, SHARED } from "./log-files.ts";
import { SharedChain } from "./shared-chain.ts";
import { type Statement, stated } from "./statement.ts";
import { writeWhole } from "./write-whole.ts";

/** How soon the shared chain says what this one has, after a line, in ms. */
export const STATED_WITHIN_MS = 1000;

/** After so many times that this failed, no line is written before it succeeded: a chain of which no other says anything proves little. */
const MOST_FAILED = 5;

/** How long it waits for other processes then, in ms: it tries again after the next {@link STATED_WITHIN_MS}. */
const NO_PATIENCE = 0;

/** The file in which a chain goes on. */
interface OpenFile {
  readonly day: string;
  readonly file: number;
  size: number;
}

/** What stands for a chain whose process has not ended it. */
const MARK = /^(?<id>[0-9a-f]{16})\.(?<owner>.+)\.open$/;

/** The chains of a log whose processes may still run: of another machine or container, nobody here can tell. */
export function runningChains(folder: string): ReadonlySet<string> {
  const names = attemptOr(() => readdirSync(folder), []);
  return new Set(
    names.flatMap((name) => {
      const { id, owner } = MARK.exec(name)?.groups ?? {};
      return id === undefined || whereabouts(ownerIn(owner)) === "gone" ? [] : [id];
    }),
  );
}

/**
 * A chain that one process writes alone, without a lock: `<day>.<id>.jsonl`. The shared chain names its beginning, its head
 * within a second after a line, and its end; it names the shared chain's head in turn.
 */
export class OwnChain implements Chain {
  readonly #folder: string;
  readonly #shared: SharedChain;
  #id = "";
  #mark = "";
  #open: OpenFile | undefined;
  #head = EMPTY;
  /** The number of the last line that the shared chain has heard of. */
  #told = 0;
  /** What the next line has to tell of the shared chain. */
  #seen: Statement | undefined;
  #failed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#shared = new SharedChain(folder);
  }

  append(day: string, write: (head: Head) => Written): void {
    // Somebody removed or changed the file: what was written there stands in the shared chain.
    if (this.#open && !isWhole(this.#open)) this.#endChain(day);
    const open = this.#inDay(day);
    if (this.#failed >= MOST_FAILED) this.#state(day, "head");
    const seen = this.#seen && stated(this.#head, this.#seen);
    const { text, head } = write(seen?.head ?? this.#head);
    open.size = writeWhole(open.file, open.size, (seen?.text ?? "") + text);
    this.#head = head;
    this.#seen = undefined;
    this.#timer ??= setTimeout(() => this.#tell(day), STATED_WITHIN_MS).unref();
  }

  end(): void {
    if (this.#open) this.#endChain(this.#open.day);
    this.#shared.end();
  }

  #inDay(day: string): OpenFile {
    const open = this.#open ?? this.#begin(day);
    // A clock that was set back brings no day again: the chain has a file of it.
    if (open.day >= day) return open;
    this.#open = { day, file: this.#newFile(day), size: 0 };
    closeSync(open.file);
    return this.#open;
  }

  #newFile(day: string): number {
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants;
    return openLog(join(this.#folder, logFileName(day, this.#id)), O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
  }

  /** Begins a new chain. Both chains name each other, or nothing is written. */
  #begin(day: string): OpenFile {
    this.#id = randomBytes(8).toString("hex");
    this.#mark = join(this.#folder, `${this.#id}.${uniqueName()}.open`);
    const opened: number[] = [];
    try {
      const { begun } = this.#toShared(day, (shared) => {
        const dead = this.#endsOfOthers(shared);
        writeFileSync(this.#mark, "", { mode: 0o600 });
        const first = stated(EMPTY, { about: SHARED, head: dead.head, outcome: "begin" });
        const file = this.#newFile(day);
        opened.push(file);
        const size = writeWhole(file, 0, first.text);
        this.#head = first.head;
        const begin = stated(dead.head, { about: this.#id, head: first.head, outcome: "begin" });
        return { text: dead.text + begin.text, head: begin.head, begun: { day, file, size } };
      });
      this.#told = this.#head.seq;
      this.#failed = 0;
      this.#open = begun;
      return begun;
    } catch (error) {
      for (const file of opened) closeSync(file);
      for (const name of [logFileName(day, this.#id), basename(this.#mark)])
        attemptOr(() => rmSync(join(this.#folder, name), { force: true }), undefined);
      throw error;
    }
  }

  /** Ends the chains of processes that died. */
  #endsOfOthers(shared: Head): Written {
    let text = "";
    let head = shared;
    for (const name of readdirSync(this.#folder)) {
      const { id, owner } = MARK.exec(name)?.groups ?? {};
      if (id === undefined || whereabouts(ownerIn(owner)) !== "gone") continue;
      const newest = auditFiles(this.#folder).findLast(({ chain }) => chain === id);
      const last = newest ? lastLine(join(this.#folder, newest.name)) : "";
      if (last !== "") {
        const died = stated(head, { about: id, head: headAfter(last), outcome: "died" });
        text += died.text;
        head = died.head;
      }
      rmSync(join(this.#folder, name), { force: true });
    }
    return { text, head };
  }

  /** One line seldom follows another there, so nobody has to wait for more. */
  #toShared<Result extends Written>(day: string, write: (head: Head) => Result, patience?: number): Result {
    try {
      return this.#shared.append(day, write, patience);
    } finally {
      this.#shared.endTurn();
    }
  }

  /** Tells the shared chain of the head. Not before the line's outcome is used: that would cost a lock each time. */
  #tell(day: string): void {
    this.#timer = undefined;
    if (!this.#open || this.#told === this.#head.seq) return;
    try {
      this.#state(day, "head", NO_PATIENCE);
    } catch {
      // Another process writes, or the disk is full. The lines themselves were written.
      this.#failed++;
      this.#timer = setTimeout(() => this.#tell(day), STATED_WITHIN_MS).unref();
    }
  }

  #state(day: string, outcome: "head" | "end", patience?: number): void {
    const about = this.#id;
    this.#toShared(
      day,
      (shared) => {
        const written = stated(shared, { about, head: this.#head, outcome });
        this.#seen = { about: SHARED, head: written.head, outcome: "seen" };
        return written;
      },
      patience,
    );
    this.#told = this.#head.seq;
    this.#failed = 0;
  }

  #endChain(day: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Without this statement it counts as a chain whose process died.
    attemptOr(() => this.#state(day, "end"), undefined);
    attemptOr(() => rmSync(this.#mark, { force: true }), undefined);
    if (this.#open) closeSync(this.#open.file);
    this.#open = undefined;
    this.#seen = undefined;
  }
}

/** Whether a file is still there, as it was left. */
function isWhole({ file, size }: OpenFile): boolean {
  const status = fstatSync(file);
  return status.nlink > 0 && status.size === size;
}
