import { ftruncateSync, writeSync } from "node:fs";

/** Appends a text to a file of `size` bytes. Returns the new size. Throws if there was no room for all of it; a part is removed again. */
export function writeWhole(file: number, size: number, text: string): number {
  const bytes = Buffer.byteLength(text);
  try {
    if (writeSync(file, text) !== bytes) throw new Error("no space left");
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
  return size + bytes;
}
