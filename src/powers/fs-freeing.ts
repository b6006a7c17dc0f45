import { close, constants, lstatSync, openSync, type Stats } from "node:fs";
import { attemptOr } from "../base/attempt.ts";
import { elsewhere, type Pieces } from "./fs-work.ts";

/** Files that the system frees in milliseconds. */
const QUICK_BYTES = 16 * 1024 * 1024;

const closeLater = (file: number): Promise<void> =>
  new Promise((resolve, reject) => close(file, (error) => (error ? reject(error) : resolve())));

/**
 * Does what takes the name of a file away. To free the blocks of a large one takes a second for 4 GB: it is held open meanwhile, and
 * freed where it is closed, on another thread. `path`: of the file.
 */
export function* freeing<T>(path: string, act: () => T): Pieces<T> {
  const status = lstatSync(path, { throwIfNoEntry: false });
  const held = status && isLarge(status) ? attemptOr(() => openSync(path, HOLDING), undefined) : undefined;
  if (held === undefined) return act();
  try {
    return act();
  } finally {
    yield* elsewhere(() => closeLater(held));
  }
}

const HOLDING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** On Windows a name stays as long as its file is open. */
const isLarge = (status: Stats): boolean =>
  process.platform !== "win32" && status.isFile() && status.blocks * 512 > QUICK_BYTES;
