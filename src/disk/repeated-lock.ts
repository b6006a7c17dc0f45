import { linkSync, lstatSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { acquire, put } from "./lock-file.ts";
import { ownerIn, uniqueName, whereabouts } from "./process-owner.ts";

const ENDING = ".owner";

/**
 * A lock that one process takes again and again. The file that names the owner is made once: to link to it costs a hundredth
 * of a new file.
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

  /**
   * Locks until the returned function is called. Throws as {@link acquire} does.
   *
   * @param patience how long it may wait, in ms
   */
  take(patience?: number): () => void {
    let inode = -1;
    acquire(
      this.#file,
      () => {
        inode = this.#take();
      },
      patience,
    );
    return () => {
      if (lstatSync(this.#file, { throwIfNoEntry: false })?.ino === inode) unlinkSync(this.#file);
    };
  }

  /** Removes the file that names the owner. */
  close(): void {
    // Something else may be at this path now: then there is nothing to remove.
    if (this.#made) attemptOr(() => rmSync(this.#token, { force: true }), undefined);
    this.#made = false;
  }

  #take(): number {
    try {
      if (!this.#made) this.#make();
      linkSync(this.#token, this.#file);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // The file was removed.
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

  /** Removes the files of killed processes. */
  #removeLeft(): void {
    const folder = dirname(this.#file);
    const start = basename(this.#file).replace(/lock$/, "");
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(start) || !name.endsWith(ENDING)) continue;
      const owner = ownerIn(name.slice(start.length, -ENDING.length));
      if (whereabouts(owner) === "gone") rmSync(join(folder, name), { force: true });
    }
  }
}
