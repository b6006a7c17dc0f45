import { writeSync } from "node:fs";
import { ownFfi, sharedMemory } from "./native.ts";

/** A file that the host keeps open. It holds the number of an isolate, in four bytes, the least significant first. */
const PROGRESS = 6;

/** Most machines write numbers in memory as the file has them. */
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** Returns a function that writes a number there. It is called before each entry of a run, so it makes no system call where it need not. */
export function progress(): (isolate: number) => void {
  const ffi = process.platform === "linux" && LITTLE_ENDIAN ? ownFfi() : undefined;
  const shared = ffi && sharedMemory(ffi, PROGRESS, Uint32Array.BYTES_PER_ELEMENT);
  if (shared) {
    const mark = new Uint32Array(shared);
    return (isolate) => {
      mark[0] = isolate;
    };
  }
  const mark = Buffer.alloc(4);
  return (isolate) => {
    mark.writeUInt32LE(isolate, 0);
    writeSync(PROGRESS, mark, 0, 4, 0);
  };
}
