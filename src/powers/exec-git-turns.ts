import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
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
/** Of a repository with more than half a million files. */
const MAX_INDEX_BYTES = 64_000_000;

/**
 * Runs git on a copy of the index that the variables name, which then takes its place. A hook that was granted the file could
 * exchange it after it was looked at.
 */
export async function onOwnIndex(
  env: NodeJS.ProcessEnv,
  act: (env: NodeJS.ProcessEnv) => Promise<ProgramResult>,
): Promise<ProgramResult> {
  const place = env[INDEX_VARIABLE];
  if (place === undefined) return act(env);
  const unusable = (error: unknown): ProgramResult => refused(`the index cannot be used: ${messageOf(error)}`);
  let opened: OwnIndex;
  try {
    opened = new OwnIndex(place);
  } catch (error) {
    return unusable(error);
  }
  using index = opened;
  const result = await act(Object.assign(Object.create(null), env, { [INDEX_VARIABLE]: index.copy }));
  try {
    index.keep();
  } catch (error) {
    return unusable(error);
  }
  return result;
}

/** As git does, it holds `index.lock` until it is disposed of. No link is followed, at its place or on the way. */
class OwnIndex implements Disposable {
  /** Where git finds it. */
  readonly copy: string;
  readonly #place: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "cordon-index-"));
  readonly #before: Buffer | undefined;
  #lock: number | undefined;

  constructor(place: string) {
    this.#place = place;
    // What hooks may write in the temporary folder does not cover this name.
    const own = join(this.#folder, ".git");
    this.copy = join(own, "index");
    try {
      mkdirSync(own);
      this.#lock = this.#at(".lock", (path) => openSync(path, "wx", 0o600));
      this.#before = this.#at("", bytesOf);
      // git makes one that is not there.
      if (this.#before) writeFileSync(this.copy, this.#before);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Puts the copy in its place, if git changed it, and it is an index. */
  keep(): void {
    const after = bytesOf(this.copy);
    if (this.#lock === undefined || after?.toString("latin1", 0, INDEX_MARK.length) !== INDEX_MARK) return;
    if (this.#before?.equals(after)) return;
    writeFileSync(this.#lock, after);
    this.#at(".lock", (written) => this.#at("", (path) => renameSync(written, path)));
    closeSync(this.#lock);
    this.#lock = undefined;
  }

  [Symbol.dispose](): void {
    if (this.#lock !== undefined) {
      closeSync(this.#lock);
      attemptOr(() => this.#at(".lock", unlinkSync), undefined);
    }
    this.#lock = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #at<T>(suffix: "" | ".lock", work: (path: string) => T): T {
    return atPath({ asked: this.#place, real: this.#place + suffix }, work);
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
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error("it is no file");
    if (status.size > MAX_INDEX_BYTES) throw new Error(`it has more than ${MAX_INDEX_BYTES} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
