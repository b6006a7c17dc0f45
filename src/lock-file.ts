import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** How long another process may hold the lock: what is done under it takes microseconds, so an older one was left behind. */
const STALE_MS = 500;
const STEP_MS = 2;

/**
 * Does something while no other process does the same for this path. Blocks this one, for moments. Throws what `act`
 * throws, or the reason why there can be no lock (a full disk, a folder that cannot be written).
 */
export function withLock<T>(path: string, act: () => T): T {
  const lock = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (ageOf(lock) > STALE_MS) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
