import { linkSync, lstatSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { acquire, put, uniqueName } from "./lock-file.ts";
import { whereabouts } from "./process-owner.ts";

const ENDING = ".owner";

/**
 * A lock that one process takes again and again. What says who has it is made once: to give that a second name costs a
 * hundredth of a new file.
 */
export class RepeatedLock {
  readonly #file: string;
  readonly #token: string;
  readonly #own = uniqueName();
  #made = false;

  constructor(path: string) {
    this.#file = `${path}.lock`;
    this.#token = `${path}.${this.#own}${ENDING}`;
  }

  /** Keeps other processes out, until the returned function is called. Throws as {@link acquire} does. */
  take(): () => void {
    let inode = -1;
    acquire(this.#file, () => {
      inode = this.#take();
    });
    return () => {
      if (lstatSync(this.#file, { throwIfNoEntry: false })?.ino === inode) unlinkSync(this.#file);
    };
  }

  /** Takes away what was made for it. */
  close(): void {
    try {
      if (this.#made) rmSync(this.#token, { force: true });
    } catch {
      // Whatever was put in the place of the folder is no concern of this.
    }
    this.#made = false;
  }

  #take(): number {
    try {
      if (!this.#made) this.#make();
      linkSync(this.#token, this.#file);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // Somebody took it away.
      if (code === "ENOENT") this.#made = false;
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code)) throw error;
      put(this.#file, this.#own);
    }
    return lstatSync(this.#file).ino;
  }

  #make(): void {
    writeFileSync(this.#token, this.#own, { flag: "w", mode: 0o600 });
    this.#made = true;
    this.#removeLeft();
  }

  /** What processes left that were killed. */
  #removeLeft(): void {
    const folder = dirname(this.#file);
    const start = `${basename(this.#file).replace(/lock$/, "")}`;
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(start) || !name.endsWith(ENDING)) continue;
      const owner = name.slice(start.length, -ENDING.length).replace(/\.[0-9a-f]{8}$/, "");
      if (whereabouts(owner) === "gone") rmSync(join(folder, name), { force: true });
    }
  }
}
