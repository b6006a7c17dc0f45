import { hash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import type { Spoken } from "../agents/command/spoken.ts";
import { attemptOr } from "../base/attempt.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { runFolder } from "../disk/daemon-places.ts";
import type { HookInfo } from "../session/hook-info.ts";

/** What is known of a session beyond the life of a daemon. */
interface Known {
  /** Its folder when it began: an agent that changes folders does not change its hooks. */
  cwd: string;
  /** Hooks that guarded it. */
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
    const known = attemptOr(() => readJson(readIfThere(this.#path) ?? "null"), null);
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

/** What a hook may refuse, or take something out of, beside calls. */
export const isGuarded = (said: Spoken["said"]): boolean =>
  said.kind === "result" || (said.kind === "tell" && said.event.type === "permission_request");

/** One that did not load blocks every call, whatever it would hear. */
export const isGuard = ({ state, events, capabilities }: HookInfo): boolean =>
  state === "failed" ||
  (state !== "pending" &&
    (events.includes("tool_call") ||
      events.includes("permission_request") ||
      (events.includes("tool_result") && (capabilities.events?.guardResult?.length ?? 0) > 0)));
