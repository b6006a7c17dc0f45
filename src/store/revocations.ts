import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { findGrant, type Grants, readGrants } from "./grants-text.ts";

/** Events that follow each other this closely share one check: a check costs a tenth of an event. */
const LOOK_EVERY_MS = 5;

/** Notices when a grants file changes. */
export class Revocations {
  readonly #path: string;
  #known: Grants;
  /** Of the file at the last check: it may have changed since the grants were read that are known at first. */
  #stamp: string | undefined;
  #looked = 0;
  #watcher: FSWatcher | undefined;
  /** The folder changed since the last check, or may have. */
  #isStirred = true;

  /** `known`: the grants that were read from the file. */
  constructor(path: string, known: Grants) {
    this.#path = path;
    this.#known = known;
  }

  /** The entry of a hook at the last check. */
  known({ key, realPath }: { readonly key: string; readonly realPath: string }): GrantEntry | undefined {
    return findGrant(this.#known, key, realPath);
  }

  /** Takes over an entry that this host wrote itself: it revokes nothing. */
  wrote(key: string, entry: GrantEntry): void {
    this.#known = new Map([...this.#known, [key, entry]]);
  }

  /**
   * Watches the file, so that most events need no check. That may notice a change late or, on some file systems, never: what
   * decides about more than whether an event is heard has to check. A folder that is not there cannot be watched: call it again.
   */
  watch(): void {
    if (this.#watcher) return;
    const folder = dirname(this.#path);
    const unwatch = (): void => this.close();
    this.#isStirred = true;
    // Replaced by a rename, so the folder is watched and not the file.
    this.#watcher = attemptOr(
      () =>
        watch(folder, { persistent: false }, (_kind, name) => {
          this.#isStirred = true;
          // The folder itself was moved or removed: another one may stand there now.
          if (name === null || name === basename(folder)) unwatch();
        }),
      undefined,
    );
    this.#watcher?.on("error", unwatch);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Like `check`, but trusts the watcher, if there is one, that nothing changed. */
  look(): { before: Grants; now: Grants } | undefined {
    return this.#watcher && !this.#isStirred ? undefined : this.check();
  }

  /** The grants at the last check and now; `undefined` if the file did not change. A file that is gone or unreadable has no grants. */
  check(): { before: Grants; now: Grants } | undefined {
    const now = performance.now();
    if (now - this.#looked < LOOK_EVERY_MS) return undefined;
    this.#looked = now;
    this.#isStirred = false;
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
