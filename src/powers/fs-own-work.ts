import { type BigIntStats, lstatSync } from "node:fs";

/** Most files of one hook that are known: it moves what it has just written. */
const MOST = 100;

/** Files that hooks wrote as a whole, by their places on the disk, as they were left. */
const left = new WeakMap<object, Map<string, BigIntStats>>();

const statusOf = (path: string): BigIntStats | undefined => lstatSync(path, { bigint: true, throwIfNoEntry: false });
const placeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Whoever writes to a file changes one of these. */
const hasSameContent = (one: BigIntStats, other: BigIntStats): boolean =>
  one.size === other.size && one.mtimeNs === other.mtimeNs;

/**
 * Remembers a file of which a hook has written all that is in it. `written`: as it was when nobody else could write to it yet; `now`:
 * later.
 */
export function leave(hook: object, written: BigIntStats, now: BigIntStats): void {
  if (!hasSameContent(written, now)) return;
  const files = left.get(hook) ?? new Map<string, BigIntStats>();
  left.set(hook, files);
  const [oldest] = files.keys();
  if (files.size >= MOST && oldest !== undefined) files.delete(oldest);
  files.set(placeOf(now), now);
}

/** The state of a file that has in it just what the hook wrote, which it therefore knows, whatever it may read; else `undefined`. */
export function asLeft(hook: object, path: string): BigIntStats | undefined {
  const files = left.get(hook);
  const status = files && statusOf(path);
  const before = status && files?.get(placeOf(status));
  // Nobody sets the time of a change back, as a hook may the other.
  return before && hasSameContent(before, status) && before.ctimeNs === status.ctimeNs ? status : undefined;
}

/** A file that was as the hook left it was moved, or has another mode: it is still the hook's own work, if it has the same in it. */
export function keepOwn(hook: object, before: BigIntStats, path: string): void {
  const now = statusOf(path);
  if (now) leave(hook, before, now);
}
