import { closeSync, lstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/** How long another process may hold the lock: what is done under it takes microseconds, so an older one was left behind. */
const STALE_MS = 500;
const STEP_MS = 2;

/** Longest wait: whoever takes the lock again and again must not hold up the agent. */
const MAX_WAIT_MS = 2000;

/**
 * Does something while no other process does the same for this path. Blocks this one, for moments. Throws what `act`
 * throws, or the reason why there can be no lock (a full disk, a folder that cannot be written).
 */
export function withLock<T>(path: string, act: () => T): T {
  const lock = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (waited > MAX_WAIT_MS) throw new Error(`${lock} is held by another program`);
      if (isStale(lock)) rmSync(lock, { force: true, recursive: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Older than anybody holds it, from the future, or no file at all but something that was put there. */
function isStale(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return false;
  const age = Date.now() - status.mtimeMs;
  return !status.isFile() || age > STALE_MS || age < -STALE_MS;
}
