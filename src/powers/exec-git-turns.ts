import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProgramResult } from "../../sandbox/wire/answers.ts";
import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";
import { attemptOr } from "../base/attempt.ts";
import { messageOf } from "../base/errors.ts";
import { refused } from "./exec-git-repository.ts";
import { atPath } from "./fs-path.ts";

/** Fulfilled when all commands of a repository have ended that were asked for so far. */
const last = new Map<string, Promise<void>>();

/**
 * Runs one command of a repository after the other: what one of them looked at, another would change before it runs. `over`: nobody
 * waits any more; then it does not run, and the answer is `undefined`.
 */
export async function inTurn<T>(repository: string, over: AbortSignal, act: () => Promise<T>): Promise<T | undefined> {
  const before = last.get(repository);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const until = Promise.all([before, ended]).then(() => {
    if (last.get(repository) === until) last.delete(repository);
  });
  last.set(repository, until);
  try {
    if (before) await Promise.race([before, aborted(over)]);
    return over.aborted ? undefined : await act();
  } finally {
    end();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** How an index of git begins. */
const INDEX_MARK = "DIRC";

/**
 * Runs git on a copy of the index that the variables name, which then takes its place. A hook that was granted the file could
 * exchange it after it was looked at. As git does, it holds `index.lock` meanwhile; no link is followed, at its place or on the way.
 */
export async function onOwnIndex(
  env: NodeJS.ProcessEnv,
  act: (env: NodeJS.ProcessEnv) => Promise<ProgramResult>,
): Promise<ProgramResult> {
  const index = env[INDEX_VARIABLE];
  if (index === undefined) return act(env);
  const at = <T>(real: string, work: (path: string) => T): T => atPath({ asked: index, real }, work);
  const lock = `${index}.lock`;
  let folder: string | undefined;
  let held: number | undefined;
  let isHeld = false;
  try {
    held = at(lock, (path) => openSync(path, "wx", 0o600));
    isHeld = true;
    folder = mkdtempSync(join(tmpdir(), "cordon-index-"));
    const own = join(folder, "index");
    const before = at(index, bytesOf);
    // git makes one that is not there.
    if (before) writeFileSync(own, before);
    const result = await act(Object.assign(Object.create(null), env, { [INDEX_VARIABLE]: own }));
    const after = existsSync(own) ? readFileSync(own) : undefined;
    if (after?.toString("latin1", 0, INDEX_MARK.length) !== INDEX_MARK || before?.equals(after)) return result;
    writeFileSync(held, after);
    at(lock, (written) => at(index, (path) => renameSync(written, path)));
    isHeld = false;
    return result;
  } catch (error) {
    return refused(`the index cannot be used: ${messageOf(error)}`);
  } finally {
    if (held !== undefined) closeSync(held);
    if (isHeld) attemptOr(() => at(lock, unlinkSync), undefined);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** `undefined` if nothing is there. */
function bytesOf(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error("it is no file");
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
