import { statSync } from "node:fs";
import type { GrantEntry } from "../grants/grant.ts";
import { findGrant, type Grants, readGrants } from "./grants-text.ts";

/** Events that follow each other this closely share one check: a check costs a tenth of an event. */
const LOOK_EVERY_MS = 5;

/** Notices when a grants file changes. */
export class Revocations {
  readonly #path: string;
  #known: Grants;
  #stamp: string;
  #looked = 0;

  /** `known`: the grants that were read from the file. */
  constructor(path: string, known: Grants) {
    this.#path = path;
    this.#known = known;
    this.#stamp = stampOf(path);
  }

  /** The entry of a hook at the last check. */
  known({ key, realPath }: { readonly key: string; readonly realPath: string }): GrantEntry | undefined {
    return findGrant(this.#known, key, realPath);
  }

  /** Takes over an entry that this host wrote itself: it revokes nothing. */
  wrote(key: string, entry: GrantEntry): void {
    this.#known = new Map([...this.#known, [key, entry]]);
  }

  /** The grants at the last check and now; `undefined` if the file did not change. A file that is gone or unreadable has no grants. */
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
