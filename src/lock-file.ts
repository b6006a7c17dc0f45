import { closeSync, fstatSync, linkSync, lstatSync, mkdirSync, openSync, rmSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";

/** How long another process may hold the lock: what is done under it takes milliseconds at most, so an older one was left behind. */
const STALE_MS = 500;
const STEP_MS = 2;

/** Longest wait: whoever takes the lock again and again must not hold up the agent. */
const MAX_WAIT_MS = 2000;

/**
 * Keeps other processes out of a path until the returned function is called, which must be soon. Blocks this one, for
 * moments. Throws the reason why there can be no lock (a full disk, a folder that cannot be written). `token`: a file in
 * the same folder that is there anyway. Another name for it is a lock a hundred times as cheap as a new file.
 */
export function lock(path: string, token?: string): () => void {
  const file = `${path}.lock`;
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      const ino = token === undefined ? make(file) : name(file, token);
      return () => {
        // Held for too long, it may have been taken for one that was left behind: then it is another's.
        if (lstatSync(file, { throwIfNoEntry: false })?.ino === ino) unlinkSync(file);
      };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      else if (code !== "EEXIST") throw error;
      else if (waited > MAX_WAIT_MS) throw new Error(`${file} is held by another program`);
      else if (isStale(file)) rmSync(file, { force: true, recursive: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
  }
}

function make(file: string): number {
  const made = openSync(file, "wx", 0o600);
  try {
    return fstatSync(made).ino;
  } finally {
    closeSync(made);
  }
}

/** Where a file has one name only, as on some memory cards, a new file has to do. */
function name(file: string, token: string): number {
  try {
    linkSync(token, file);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    return make(file);
  }
  return lstatSync(file).ino;
}

/** Does something under the {@link lock}. Throws what `act` throws, too. */
export function withLock<T>(path: string, act: () => T): T {
  const unlock = lock(path);
  try {
    return act();
  } finally {
    unlock();
  }
}

/** Older than anybody holds it, from the future, or no file at all but something that was put there. */
function isStale(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return false;
  // Naming it changes this time, and nobody can set it to another.
  const age = Date.now() - status.ctimeMs;
  return !status.isFile() || age > STALE_MS || age < -STALE_MS;
}
