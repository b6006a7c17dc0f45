import { ownFfi, sharedMemory } from "./native.ts";

/** Most machines write numbers in memory as the file has them. */
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * Returns a function that writes the number of an isolate into a file that the host keeps open: in four bytes, the least
 * significant first. It is called before each entry of a run, so where it can it shares memory with the file, and makes no system
 * call. `write` is the other way.
 */
export function progress(file: number, write: (bytes: Buffer) => void): (isolate: number) => void {
  const ffi = process.platform === "linux" && LITTLE_ENDIAN ? ownFfi() : undefined;
  const shared = ffi && sharedMemory(ffi, file, Uint32Array.BYTES_PER_ELEMENT);
  if (shared) {
    const mark = new Uint32Array(shared);
    return (isolate) => {
      mark[0] = isolate;
    };
  }
  const mark = Buffer.alloc(4);
  return (isolate) => {
    mark.writeUInt32LE(isolate, 0);
    write(mark);
  };
}
