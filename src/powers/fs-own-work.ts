import { type BigIntStats, lstatSync } from "node:fs";

/** Most files of one hook that are known: it moves what it has just written. */
const MOST = 100;

/** Files that hooks wrote as a whole, by their places on the disk, as they were left. */
const left = new WeakMap<object, Map<string, string>>();

const statusOf = (path: string): BigIntStats | undefined => lstatSync(path, { bigint: true, throwIfNoEntry: false });
const placeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
/** Whoever writes to a file changes its times, and nobody sets all of them. */
const stateOf = ({ size, mtimeNs, ctimeNs }: BigIntStats): string => `${size} ${mtimeNs} ${ctimeNs}`;

/** Remembers a file of which a hook has written all that is in it. */
export function leave(hook: object, path: string): void {
  const status = statusOf(path);
  if (!status?.isFile()) return;
  const files = left.get(hook) ?? new Map<string, string>();
  left.set(hook, files);
  const [oldest] = files.keys();
  if (files.size >= MOST && oldest !== undefined) files.delete(oldest);
  files.set(placeOf(status), stateOf(status));
}

/** Whether a file has in it just what the hook wrote, which it therefore knows, whatever it may read. */
export function isAsLeft(hook: object, path: string): boolean {
  const files = left.get(hook);
  const status = files && statusOf(path);
  return status !== undefined && files?.get(placeOf(status)) === stateOf(status);
}
