import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A file without a name that a sandbox process writes the number of the isolate to that it enters: when the process is
 * killed or dies in the middle of a run, it tells which hook was running. What it says is the sandbox's word, and only
 * decides which of the hooks that share the process is blamed.
 */
export class Progress {
  readonly descriptor: number;
  #open = true;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** `undefined` where such a file cannot be had; verdicts then come one by one. */
  static create(): Progress | undefined {
    if (process.platform === "win32") return undefined;
    const path = join(tmpdir(), `cordon-${randomBytes(8).toString("hex")}`);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, "wx+", 0o600);
      unlinkSync(path);
      // Its block is taken now: a disk that fills up later does not stop the sandbox.
      writeSync(descriptor, Buffer.alloc(4), 0, 4, 0);
      return new Progress(descriptor);
    } catch {
      if (descriptor !== undefined) closeSync(descriptor);
      return undefined;
    }
  }

  /** The isolate that was entered last. */
  read(): number | undefined {
    const mark = Buffer.alloc(4);
    return this.#open && readSync(this.descriptor, mark, 0, 4, 0) === 4 ? mark.readUInt32LE(0) : undefined;
  }

  close(): void {
    if (this.#open) closeSync(this.descriptor);
    this.#open = false;
  }
}
