/** The standard input of a program. What is written goes to the host part by part, as the program takes it. */
import type { ArgumentsOf } from "../../wire/operations.ts";
import { fault, unavailable } from "./fault.ts";
import { host } from "./host.ts";
import { loadStreams } from "./stream-load.ts";
import { MAX_BYTES, toWire } from "./wire-data.ts";

/** Bytes of one part. */
const PART = 1024 * 1024;

type Done = (error?: Error | null) => void;

let lastNumber = 0;

const LATE =
  "a program's standard input was closed: write to it in the turn that spawns the program, or spawn it with { stdio: 'pipe' }";

/**
 * A stream, and the number by which the host knows it. The hook's grant must say `"stdin": true` once it writes.
 *
 * @param isPiped the hook said that it wants the stream: it may write later
 */
export function childStdin(isPiped: boolean) {
  const { Writable } = loadStreams();
  const number = ++lastNumber;
  const gone = new AbortController();
  let isWanted = false;
  /** Set once the program was asked for. */
  let command: ArgumentsOf<"exec"> | undefined;
  /** Nobody wrote before the program was asked for, and nobody will. */
  let hasEnded = false;
  /** The program is over, or never ran. */
  let isOver = false;

  /** Whether the program reads what is written: `late` says that nobody knew it when the program was asked for. */
  async function want(): Promise<void> {
    if (isWanted || command === undefined) {
      isWanted = true;
      return;
    }
    if (!isPiped) throw unavailable(LATE);
    const [file, args, options] = command;
    await host.call("exec.late", [file, args, { ...options, late: false }]);
    isWanted = true;
  }

  async function send(part: Uint8Array, ends: boolean): Promise<void> {
    if (isOver) throw fault(Error, "EPIPE", "write EPIPE");
    for (let at = 0; at === 0 || at < part.length; at += PART) {
      const [encoding, text] = toWire(part.subarray(at, at + PART), undefined, tooLarge) as ["base64", string];
      await host.call("exec.write", [number, encoding, text, ends && at + PART >= part.length], gone.signal);
    }
  }
  const told = (work: Promise<void>, done: Done): void => void work.then(() => done(), done);
  /** A program whose input is open waits for the end, also where nobody wrote. */
  async function end(): Promise<void> {
    if (isWanted) await send(new Uint8Array(), true);
    else if (command === undefined) hasEnded = true;
    else if (isPiped && !isOver) await send(new Uint8Array(), true).catch(() => {});
  }
  const stream = new Writable({
    write: (part: Uint8Array, _encoding: string, done: Done) =>
      told(
        want().then(() => send(part, false)),
        done,
      ),
    final: (done: Done) => told(end(), done),
  });
  stream.on("pipe", () => {
    // Later it is the first part that asks.
    isWanted ||= command === undefined;
  });
  return {
    stream,
    /** Once, before the program is asked for: what is asked for. */
    decide([file, args, options]: ArgumentsOf<"exec">): ArgumentsOf<"exec"> {
      const stdin = isWanted ? { stdin: number } : isPiped && !hasEnded ? { stdin: number, late: true } : {};
      command = [file, args, { ...options, ...stdin }];
      return command;
    },
    /** The program is over. `isClosed`: the host had closed its input, and a write would be refused: then that is said. */
    close(isClosed = false): void {
      isOver = true;
      gone.abort();
      if (!isClosed || isWanted) stream.destroy();
      // Whoever waits for its end hears of it all the same.
      else stream.emit("close");
    },
  };
}

const tooLarge = (): Error => new RangeError(`more than ${MAX_BYTES} bytes`);
