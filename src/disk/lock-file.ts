import { randomBytes } from "node:crypto";
import {
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { makeFolders } from "./make-folders.ts";
import { ownerIn, pidOf, uniqueName, whereabouts } from "./process-owner.ts";

/** A lock that names no owner may be new, with the name still to be written. It counts as left behind after this time. */
const NAMELESS_MS = 500;
const STEP_MS = 2;

/** Longest wait of an agent: a process that takes the lock again and again must not stop it. A command may wait longer. */
const MAX_WAIT_MS = 2000;
export const PATIENT_MS = 60_000;

/**
 * Calls `act` while a path is locked against other processes, and hands it a check: it throws if another process has the
 * lock by now, and is called right before each change. Blocks this process. The lock names its owner, and is broken only
 * when that process is gone: never for its age, since a disk may be slow, and never when its owner is on another machine or
 * in another container, where this process cannot look. Throws what `act` throws, or the reason if it cannot lock: a full
 * disk, a folder that cannot be written, another process that holds the lock.
 */
export function withLock<T>(path: string, act: (check: () => void) => T, patience?: number): T {
  const file = `${path}.lock`;
  const own = uniqueName();
  acquire(file, () => put(file, own), patience);
  try {
    return act(() => {
      if (textOf(file) !== own) throw new Error(`${file} was taken away: nothing was changed; try again`);
    });
  } finally {
    release(file, own);
  }
}

/** Removes a lock, unless another process has it by now. */
export function release(file: string, own: string): void {
  if (textOf(file) === own) unlinkSync(file);
}

/** The same for a command, which waits longer than an agent does. */
export const withPatientLock = <T>(path: string, act: (check: () => void) => T): T => withLock(path, act, PATIENT_MS);

/** Whether the process of this name is gone for good. */
type IsGone = (owner: string) => boolean;
const hasEnded: IsGone = (owner) => whereabouts(owner) === "gone";

/**
 * @param take creates the lock. Throws `EEXIST` if there is one
 * @param isGone whether the owner of a lock is gone, which is then broken
 */
export function acquire(file: string, take: () => void, patience = MAX_WAIT_MS, isGone = hasEnded): void {
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      take();
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") makeFolders(dirname(file));
      else if (code !== "EEXIST") throw error;
      else if (!breakLeft(file, isGone)) {
        if (waited >= patience) throw new Error(whyHeld(file));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
      }
    }
  }
}

/** Creates a lock: a dangling link whose target names the owner, created in one step. Throws `EEXIST` if it exists. */
export function put(file: string, own: string): void {
  try {
    symlinkSync(own, file);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    putFile(file, own);
  }
}

/** On systems without symbolic links: a file that gets its name when it is complete, or, without any links, before. */
function putFile(file: string, own: string): void {
  const draft = `${file}.${own}`;
  writeFileSync(draft, own, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    writeFileSync(file, own, { flag: "wx", mode: 0o600 });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The text of a lock; `undefined` if there is no lock, or it has no text. */
function textOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  }
  return attemptOr(() => {
    const status = lstatSync(file);
    return status.isFile() && status.size < 1000 ? readFileSync(file, "utf8") : undefined;
  }, undefined);
}

/**
 * Removes a lock that nobody holds; true if the path may be free now. Only one process does this at a time: a second one
 * would remove the lock of the next owner.
 */
function breakLeft(file: string, isGone: IsGone): boolean {
  if (!isLeft(file, isGone)) return false;
  const breaker = `${file}.breaking`;
  const own = uniqueName();
  try {
    put(breaker, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (isLeft(breaker, hasEnded)) takeAway(breaker, hasEnded);
    return false;
  }
  try {
    if (isLeft(file, isGone)) takeAway(file, isGone);
    return true;
  } finally {
    if (textOf(breaker) === own) unlinkSync(breaker);
  }
}

/** Whether a process of this machine that runs has this lock. */
export const isHeld = (file: string): boolean => whereabouts(ownerIn(textOf(file))) === "running";

/** The process of another machine or container that has a lock, or had it. */
export function ownerElsewhere(file: string): string | undefined {
  const owner = ownerIn(textOf(file));
  return whereabouts(owner) === "elsewhere" ? owner : undefined;
}

/** The number of the process that has a lock, for people. */
export const holderOf = (file: string): string => pidOf(ownerIn(textOf(file)));

function isLeft(file: string, isGone: IsGone): boolean {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (!status) return false;
  const owner = ownerIn(textOf(file));
  if (whereabouts(owner) !== undefined) return isGone(owner);
  // Writing the name changes this time, and no program can set it.
  const age = Date.now() - status.ctimeMs;
  return age > NAMELESS_MS || age < -NAMELESS_MS || !(status.isFile() || status.isSymbolicLink());
}

/** Renames it first, so that a lock that was created in between is noticed and put back. */
function takeAway(file: string, isGone: IsGone): void {
  const before = textOf(file);
  const away = `${file}.${randomBytes(6).toString("hex")}.away`;
  try {
    renameSync(file, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const taken = textOf(away);
  if (taken !== undefined && taken !== before && !isGone(ownerIn(taken))) {
    // If another process has it now, the one that lost it notices in `check`, before it changes anything.
    attemptOr(() => put(file, taken), undefined);
  }
  rmSync(away, { force: true, recursive: true });
}

function whyHeld(file: string): string {
  const owner = ownerIn(textOf(file));
  switch (whereabouts(owner)) {
    case "running":
      return `${file} is held by process ${pidOf(owner)}, which is running; try again when it is done`;
    case "elsewhere":
      return `${file} is held by process ${pidOf(owner)} of another machine or container; if that is not there any more, remove the file`;
    default:
      return `${file} is held by another program`;
  }
}
