import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { withSealedStdio } from "../runtime/sealed-stdio.ts";

/** Reads groups that begin (`+ 123`) and end (`- 123`), and at the end of its input, when this process is gone, ends the rest. */
const SCRIPT = `
trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -9 "-$group"; done
`;

/** How long a watcher without groups waits for the next, in ms: to start one takes as long as a small program. */
const IDLE_MS = 2000;

/**
 * Ends the process groups of granted programs when this process is gone, however it ended. Runs while there are any, and a
 * little longer. One watcher stands for all of them, as this process's own child: where nobody collects what is orphaned, as in
 * many containers, one for each would leave a dead process behind each time.
 */
class ProgramWatch {
  readonly #groups = new Set<number>();
  #watcher: ChildProcess | undefined;
  /** The watcher was told of the groups that there were when it began. */
  #told: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Resolves once the group ends with this process. Rejects if that cannot be had. */
  async begin(group: number): Promise<void> {
    this.#groups.add(group);
    clearTimeout(this.#idle);
    const watcher = this.#watcher;
    if (!watcher) return this.#start();
    try {
      await tell(watcher, `+ ${group}`);
    } catch {
      // It was killed while it waited. The watcher that replaces it is told of every group.
      if (this.#watcher === watcher) return this.#start();
      await this.#told;
    }
  }

  /** The group is gone: another may have its number next. */
  end(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#watcher?.stdin?.write(`- ${group}\n`);
    if (this.#groups.size > 0) return;
    this.#idle = setTimeout(() => {
      this.#watcher?.stdin?.end();
      this.#watcher = undefined;
    }, IDLE_MS).unref();
  }

  async #start(): Promise<void> {
    const env: NodeJS.ProcessEnv = Object.create(null);
    // In a session of its own: what ends this process's group would end the watcher before it can do anything.
    const watcher = withSealedStdio(["pipe", "ignore", "ignore"], (stdio) =>
      spawn("/bin/sh", ["-c", SCRIPT, "cordon-watch"], { env, cwd: "/", detached: true, stdio }),
    );
    this.#watcher = watcher;
    watcher.on("error", () => this.#gone(watcher));
    watcher.on("exit", () => this.#gone(watcher));
    watcher.stdin?.on("error", () => {});
    watcher.unref();
    // A pipe is a socket, which keeps this process alive, too.
    (watcher.stdin as Socket | null)?.unref();
    this.#told = tell(watcher, ...[...this.#groups].map((group) => `+ ${group}`));
    await this.#told;
  }

  /** Somebody killed it: another takes over what still runs. */
  #gone(watcher: ChildProcess): void {
    if (this.#watcher !== watcher) return;
    this.#watcher = undefined;
    if (this.#groups.size > 0) this.#start().catch(() => {});
  }
}

/** Writes lines to a watcher. Rejects if it is gone. */
const tell = ({ stdin }: ChildProcess, ...lines: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    (stdin as Writable).write(`${lines.join("\n")}\n`, (error) => (error ? reject(error) : resolve()));
  });

export const programWatch = new ProgramWatch();
