import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * An unnamed file. A sandbox process writes the number of each isolate into it before entering that isolate. If the process
 * dies in the middle of a run, the file tells which hook was running. The sandbox could lie: the number only decides which
 * of the hooks in that process is blamed.
 */
export class Progress {
  readonly descriptor: number;
  #open = true;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** `undefined` if no such file can be made; verdicts are then sent one by one. */
  static create(): Progress | undefined {
    if (process.platform === "win32") return undefined;
    const path = join(tmpdir(), `cordon-${randomBytes(8).toString("hex")}`);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, "wx+", 0o600);
      unlinkSync(path);
      // Allocates the block now, so that a full disk cannot stop the sandbox later.
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
