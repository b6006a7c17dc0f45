import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Writes a file so that a reader sees the old or the new content, whatever happens in between. Creates its folder. */
export function writeAtomically(path: string, content: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = openSync(draft, "wx", mode);
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Removes from a folder what {@link writeAtomically} left of processes that were killed. */
export function removeDrafts(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

/** Whether a process is there, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Largest file of Cordon's own that is read: a kept bundle with its map. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The text of a file, or `undefined` if there is none. Other errors are thrown; what is no regular file is one, as a
 * pipe or a device put there could block the agent for good.
 */
export function readIfThere(path: string, maxBytes = MAX_BYTES): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error(`${path}: not a regular file`);
    if (status.size > maxBytes) throw new Error(`${path}: larger than ${maxBytes} bytes`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
