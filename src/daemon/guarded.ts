import { hash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { runFolder } from "../disk/daemon-places.ts";

/** What is known of a session beyond the life of a daemon. */
interface Known {
  /** Its folder when it began: an agent that changes folders does not change its hooks. */
  cwd: string;
  /** Hooks that guarded its calls. */
  guards: readonly string[];
}

/** Keeps what guarded a session, so that no call of it passes without these after a crash. */
export class Guarded {
  readonly #path: string;
  #known: Known | undefined;

  /** `key`: the session, as the daemon names it. */
  constructor(home: string, key: string) {
    this.#path = join(runFolder(home), "sessions", `${hash("sha256", key).slice(0, 32)}.json`);
  }

  read(): Known | undefined {
    // A file that was damaged names nothing, and the session begins anew with all hooks that are there.
    const known = attemptOr(() => JSON.parse(readIfThere(this.#path) ?? "null"), null);
    if (typeof known?.cwd !== "string" || !Array.isArray(known.guards)) return undefined;
    this.#known = known;
    return known;
  }

  write(cwd: string, guards: readonly string[]): void {
    if (this.#known?.cwd === cwd && this.#known.guards.join("\n") === guards.join("\n")) return;
    this.#known = { cwd, guards };
    writeAtomically(this.#path, JSON.stringify(this.#known));
  }

  forget(): void {
    rmSync(this.#path, { force: true });
  }
}
