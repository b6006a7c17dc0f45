import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { DatabaseSaid } from "../../sandbox/wire/answers.ts";
import { type DatabaseTarget, FromDatabase } from "../../sandbox/wire/database.ts";
import { FrameReader } from "../../sandbox/wire/frame.ts";
import { MAX_FRAME_BYTES } from "../../sandbox/wire/messages.ts";
import { built } from "../base/package-root.ts";
import { textOf } from "../base/utf8.ts";
import type { Runtime } from "../runtime/locate.ts";
import { launchGroup } from "../supervisor/launch.ts";
import { type ChildSocket, Pipe } from "../supervisor/pipe.ts";

/** For the process to start, and for one call: a statement cannot be interrupted, so its process is killed. */
const START_MS = 10_000;
export const CALL_MS = 5000;

/** Memory of its data segment: SQLite's own 64 MB, and what Node takes. */
const DATA_MB = 200;
/** Longest file, in blocks of 512 bytes: 1 GB. */
const FILE_BLOCKS = 2 * 1024 * 1024;

interface Waiting {
  readonly number: number;
  readonly resolve: (said: DatabaseSaid) => void;
  readonly reject: (reason: Error) => void;
}

/** The process of one database, from start to death. Its code may be an attacker's: what it says is passed on as text. */
export class DatabaseProcess {
  readonly #child: ChildProcess;
  readonly #input: Pipe | undefined;
  readonly #pipes: readonly (Pipe | undefined)[];
  readonly #reader = new FrameReader((kind, number, text) => this.#said(kind, number, text), MAX_FRAME_BYTES, textOf);
  #waiting: Waiting | undefined;
  #end: Error | undefined;
  #last = 0;

  /** Resolves with what it said when it had opened the database: a fault if it could not. Closes `folder`. */
  static async start(
    { node, ffi }: Runtime,
    target: DatabaseTarget,
    folder: number | undefined,
  ): Promise<{ process: DatabaseProcess; said: DatabaseSaid }> {
    try {
      const process = new DatabaseProcess(commandOf(node, ffi, target), folder);
      return { process, said: await process.#wait(0, START_MS, "its database was not opened") };
    } finally {
      if (folder !== undefined) closeSync(folder);
    }
  }

  private constructor(command: readonly string[], folder: number | undefined) {
    this.#child = launchGroup(command, { dataMb: DATA_MB, fileBlocks: FILE_BLOCKS, lent: folder });
    const ended = (): void => this.#die(new Error("the process of the database died"));
    this.#child.on("error", ended);
    // What it said before is read first: why the database was not opened.
    this.#child.on("exit", () => setImmediate(ended));
    // None when no descriptors are left: an error event follows.
    const [input, output, life] = (this.#child.stdio?.slice(3) ?? []) as readonly (ChildSocket | undefined)[];
    this.#input = input && new Pipe(input);
    this.#pipes = [
      this.#input,
      output && new Pipe(output, (...read) => this.#receive(...read)),
      life && new Pipe(life),
    ];
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get alive(): boolean {
    return this.#end === undefined;
  }

  /** Rejects if it dies, or is killed because it took too long. One call at a time. */
  ask(text: string): Promise<DatabaseSaid> {
    const number = ++this.#last;
    const said = this.#wait(number, CALL_MS, "the statement was stopped");
    if (!this.#end) this.#input?.send(1, number, text);
    return said;
  }

  kill(): void {
    this.#die(new Error("the database was closed"));
  }

  #receive(bytes: Buffer, length: number): void {
    try {
      if (!this.#end) this.#reader.push(bytes, length);
    } catch {
      this.#die(new Error("the process of the database broke the protocol"));
    }
  }

  #wait(number: number, mostMs: number, what: string): Promise<DatabaseSaid> {
    if (this.#waiting) return Promise.reject(new Error("a database does one thing at a time"));
    return new Promise((resolve, reject) => {
      if (this.#end) {
        reject(this.#end);
        return;
      }
      const timer = setTimeout(() => this.#die(new Error(`${what}: it took longer than ${mostMs} ms`)), mostMs);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          this.#waiting = undefined;
          settle(value);
        };
      this.#waiting = { number, resolve: settled(resolve), reject: settled(reject) };
    });
  }

  #said(kind: number, number: number, text: string): void {
    const expected = number === 0 ? FromDatabase.ready : FromDatabase.answer;
    if (this.#waiting?.number !== number || (kind !== expected && kind !== FromDatabase.fault))
      throw new Error("an answer to no question");
    this.#waiting.resolve({ fault: kind === FromDatabase.fault, text });
  }

  #die(reason: Error): void {
    if (this.#end) return;
    this.#end = reason;
    this.#waiting?.reject(reason);
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      // It is gone.
    }
    for (const pipe of this.#pipes) pipe?.destroy();
  }
}

function commandOf(node: string, ffi: boolean, target: DatabaseTarget): string[] {
  const program = built("database.cjs");
  const files = target.file ? [`--allow-fs-read=${target.path}`, `--allow-fs-write=${target.path}`] : [];
  return [
    node,
    "--permission",
    ...(ffi && process.platform === "linux" ? ["--allow-ffi"] : []),
    `--allow-fs-read=${program}`,
    ...files.slice(0, target.readOnly ? 1 : 2),
    "--disable-sigusr1",
    "--disable-proto=delete",
    "--no-warnings",
    "--jitless",
    "--max-semi-space-size=1",
    program,
    JSON.stringify(target),
  ];
}
