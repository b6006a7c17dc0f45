import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes read at once. New memory for a whole file costs more than its hash. */
const PIECE = 64 * 1024;

/** SHA-256, in hexadecimal digits, of the bytes that a file has as it is opened: one that grows meanwhile is read no further. */
export function sha256OfFile(path: string): string {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafeSlow(PIECE);
  const descriptor = openSync(path, "r");
  try {
    let left = fstatSync(descriptor).size;
    while (left > 0) {
      const read = readSync(descriptor, piece, 0, Math.min(PIECE, left), null);
      if (read === 0) break;
      hash.update(piece.subarray(0, read));
      left -= read;
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex");
}
