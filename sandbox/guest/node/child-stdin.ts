/** The standard input of a program. What is written goes to the host part by part, as the program takes it. */
import { unavailable } from "./fault.ts";
import { host } from "./host.ts";
import { loadStreams } from "./stream-load.ts";
import { MAX_BYTES, toWire } from "./wire-data.ts";

/** Bytes of one part. */
const PART = 1024 * 1024;

type Done = (error?: Error | null) => void;

let lastNumber = 0;

const LATE =
  "a program's standard input was closed: write to it in the turn that spawns the program, or spawn it with { stdio: 'pipe' }";

/** A stream, the number by which the host knows it, and whether the hook wants it: its grant must then say `"stdin": true`. */
export function childStdin(isAsked: boolean) {
  const { Writable } = loadStreams();
  const number = ++lastNumber;
  const gone = new AbortController();
  let isWanted = isAsked;
  let isDecided = false;

  async function send(part: Uint8Array, ends: boolean): Promise<void> {
    if (isDecided && !isWanted) throw unavailable(LATE);
    isWanted = true;
    for (let at = 0; at === 0 || at < part.length; at += PART) {
      const [encoding, text] = toWire(part.subarray(at, at + PART), undefined, tooLarge) as ["base64", string];
      await host.call("exec.write", [number, encoding, text, ends && at + PART >= part.length], gone.signal);
    }
  }
  const told = (work: Promise<void>, done: Done): void => void work.then(() => done(), done);
  const stream = new Writable({
    write: (part: Uint8Array, _encoding: string, done: Done) => told(send(part, false), done),
    final: (done: Done) => (isWanted ? told(send(new Uint8Array(), true), done) : done()),
  });
  stream.on("pipe", () => {
    isWanted = true;
  });
  return {
    stream,
    /** Once, before the program is asked for: its number if the hook writes. */
    decide(): number | undefined {
      isDecided = true;
      return isWanted ? number : undefined;
    },
    /** The program is over. */
    close(): void {
      gone.abort();
      stream.destroy();
    },
  };
}

const tooLarge = (): Error => new RangeError(`more than ${MAX_BYTES} bytes`);
