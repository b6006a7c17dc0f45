import { randomBytes } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { ownerName, pidOf, whereabouts } from "./process-owner.ts";

/** What names nobody was put there, or is left of an earlier version: how long it may be that its name is still to be written. */
const NAMELESS_MS = 500;
const STEP_MS = 2;

/** Longest wait of an agent: whoever takes the lock again and again must not hold it up. A command may wait for longer. */
const MAX_WAIT_MS = 2000;
export const PATIENT_MS = 60_000;

/** A lock that is held. */
export interface Held {
  /** Throws if it is another's by now. To be asked right before something is put in place under it. */
  check(): void;
  release(): void;
}

/**
 * Keeps other processes out of a path until it is released. Blocks this one. The lock names its owner, and is broken only
 * when that process is gone: never for its age, since a disk may be slow, and never when its owner is on another machine
 * or in another container, of which nobody here knows. Throws the reason why there can be no lock (a full disk, a folder
 * that cannot be written, somebody who holds it).
 */
export function lock(path: string, patience = MAX_WAIT_MS): Held {
  const file = `${path}.lock`;
  const own = uniqueName();
  acquire(file, () => put(file, own), patience);
  return {
    check: () => {
      if (textOf(file) !== own) throw new Error(`${file} was taken away: nothing was changed; try again`);
    },
    release: () => {
      if (textOf(file) === own) unlinkSync(file);
    },
  };
}

/** @param take puts the lock in its place. Throws `EEXIST` if there is one */
export function acquire(file: string, take: () => void, patience = MAX_WAIT_MS): void {
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      take();
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      else if (code !== "EEXIST") throw error;
      else if (!breakLeft(file)) {
        if (waited >= patience) throw new Error(whyHeld(file));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
      }
    }
  }
}

/** Does something under the {@link lock}. Throws what `act` throws, too. */
export function withLock<T>(path: string, act: (held: () => void) => T, patience?: number): T {
  const { check, release } = lock(path, patience);
  try {
    return act(check);
  } finally {
    release();
  }
}

/** A link to nothing says who made it, and is there with that at once. Throws `EEXIST` if something is there. */
export function put(file: string, own: string): void {
  try {
    symlinkSync(own, file);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    putFile(file, own);
  }
}

/** Where there are no such links: a file that is complete before it has the name, or, without any links, soon after. */
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

/** What a lock says, or `undefined` if there is none, or something that says nothing. */
function textOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  }
  try {
    const status = lstatSync(file);
    return status.isFile() && status.size < 1000 ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Of one lock of this process. */
export const uniqueName = (): string => `${ownerName()}.${randomBytes(4).toString("hex")}`;

const ownerIn = (text = ""): string => text.replace(/\.[0-9a-f]{8}$/, "");

/**
 * Takes away what nobody holds; true if it might be free now. Only one process does so at a time: what the second would
 * take away is the lock of whoever came after the first.
 */
function breakLeft(file: string): boolean {
  if (!isLeft(file)) return false;
  const breaker = `${file}.breaking`;
  const own = uniqueName();
  try {
    put(breaker, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (isLeft(breaker)) takeAway(breaker);
    return false;
  }
  try {
    if (isLeft(file)) takeAway(file);
    return true;
  } finally {
    if (textOf(breaker) === own) unlinkSync(breaker);
  }
}

function isLeft(file: string): boolean {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (!status) return false;
  const where = whereabouts(ownerIn(textOf(file)));
  if (where !== undefined) return where === "gone";
  // Naming it changes this time, and nobody can set it to another.
  const age = Date.now() - status.ctimeMs;
  return age > NAMELESS_MS || age < -NAMELESS_MS || !(status.isFile() || status.isSymbolicLink());
}

/** Under a name of its own first: what was put there since is seen, and put back. */
function takeAway(file: string): void {
  const before = textOf(file);
  const away = `${file}.${randomBytes(6).toString("hex")}.away`;
  try {
    renameSync(file, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const taken = textOf(away);
  if (taken !== undefined && taken !== before && whereabouts(ownerIn(taken)) !== "gone") {
    try {
      put(file, taken);
    } catch {
      // Somebody else has it: whoever lost it finds out before they put anything in place.
    }
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
