import { statSync } from "node:fs";
import type { GrantEntry } from "../grants/grant.ts";
import { type Grants, readGrants } from "./grants-text.ts";

/** Events that follow each other this closely share a look: each costs a tenth of an event. */
const LOOK_EVERY_MS = 5;

/** Notices when a grants file says something else than it did. */
export class Revocations {
  readonly #path: string;
  #known: Grants;
  #stamp: string;
  #looked = 0;

  /** `known`: what the file said when it was read. */
  constructor(path: string, known: Grants) {
    this.#path = path;
    this.#known = known;
    this.#stamp = stampOf(path);
  }

  /** What it said of a hook when it was last looked at. */
  known(key: string): GrantEntry | undefined {
    return this.#known.get(key);
  }

  /** This host itself wrote an entry: that takes nothing from anybody. */
  wrote(key: string, entry: GrantEntry): void {
    this.#known = new Map([...this.#known, [key, entry]]);
  }

  /** What the file said when it was last looked at, and says now; `undefined` if it is the same file. One that is gone, or cannot be read, says nothing. */
  look(): { before: Grants; now: Grants } | undefined {
    const now = performance.now();
    if (now - this.#looked < LOOK_EVERY_MS) return undefined;
    this.#looked = now;
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return undefined;
    this.#stamp = stamp;
    const before = this.#known;
    try {
      this.#known = readGrants(this.#path, false);
    } catch {
      this.#known = new Map();
    }
    return { before, now: this.#known };
  }
}

function stampOf(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  return status ? `${status.ino} ${status.size} ${status.mtimeMs} ${status.ctimeMs}` : "";
}
