/** `Dir` of `node:fs`: a folder whose entries are read one after the other. They are those of the time when it was opened. */
import { fault, wrongType } from "./fault.ts";
import type { Dirent } from "./fs-objects.ts";
import { PLANS, type Plan, pathOf } from "./fs-plans.ts";
import { later, now, one, type Steps, soon } from "./fs-steps.ts";

type Callback = (error: unknown, answer?: unknown) => void;

export class Dir {
  readonly path: string;
  #left: Dirent[] | undefined;

  constructor(path: string, entries: Dirent[]) {
    this.path = path;
    this.#left = entries;
  }

  get #open(): Dirent[] {
    if (!this.#left) throw fault(Error, "ERR_DIR_CLOSED", "Directory handle was closed");
    return this.#left;
  }

  readSync(): Dirent | null {
    return this.#open.shift() ?? null;
  }

  closeSync(): void {
    this.#open;
    this.#left = undefined;
  }

  /** With a callback, or as a promise. */
  read(done?: Callback): Promise<Dirent | null> | undefined {
    const answer = async (): Promise<Dirent | null> => this.readSync();
    if (done === undefined) return answer();
    answer().then(
      (entry) => done(null, entry),
      (error) => done(error),
    );
    return undefined;
  }

  close(done?: Callback): Promise<void> | undefined {
    const answer = async (): Promise<void> => this.closeSync();
    if (done === undefined) return answer();
    answer().then(
      () => done(null),
      (error) => done(error),
    );
    return undefined;
  }

  async *entries(): AsyncGenerator<Dirent> {
    try {
      for (let entry = this.readSync(); entry; entry = this.readSync()) yield entry;
    } finally {
      if (this.#left) this.closeSync();
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<Dirent> {
    return this.entries();
  }

  [Symbol.dispose](): void {
    if (this.#left) this.closeSync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#left) this.closeSync();
  }
}

function* opening(path: unknown, options?: unknown): Steps<Dir> {
  const { recursive = false } = (typeof options === "object" && options !== null ? options : {}) as {
    recursive?: boolean;
  };
  const listing = PLANS.readdir(path, { withFileTypes: true, recursive });
  const entries = (yield { ...listing, syscall: "opendir" } as Plan<unknown>) as Dirent[];
  return new Dir(pathOf(path), entries);
}

const openLater = /* @__PURE__ */ later(opening, one);

export const opendirSync = (path: unknown, options?: unknown): Dir => now(opening(path, options));
export const opendirSoon = async (path: unknown, options?: unknown): Promise<Dir> => soon(opening(path, options));
export function opendir(path: unknown, ...given: unknown[]): void {
  if (typeof given.at(-1) !== "function") throw wrongType("callback", "of type function");
  openLater(path, ...given);
}
