import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFile,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFile,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProgramResult } from "../../sandbox/wire/answers.ts";
import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";
import { attemptOr } from "../base/attempt.ts";
import { messageOf } from "../base/errors.ts";
import { refused } from "./exec-git-repository.ts";
import { copyPart, PART } from "./fs-files.ts";
import { atPath } from "./fs-path.ts";

/** How an index of git begins. */
const INDEX_MARK = "DIRC";
/** Of a repository with more than half a million files. */
const MAX_INDEX_BYTES = 64_000_000;

/**
 * Runs git on a copy of the index that the variables name, which then takes its place. A hook that was granted the file could
 * exchange it after it was looked at.
 *
 * @param given what git may be given of this index; it gets `undefined` where no file is there. Rejects with why git must not use it
 */
export async function onOwnIndex(
  env: NodeJS.ProcessEnv,
  given: (bytes: Buffer | undefined) => Promise<Buffer | undefined>,
  act: (env: NodeJS.ProcessEnv) => Promise<ProgramResult>,
): Promise<ProgramResult> {
  const place = env[INDEX_VARIABLE];
  if (place === undefined) return act(env);
  const unusable = (error: unknown): ProgramResult => refused(`the index cannot be used: ${messageOf(error)}`);
  using index = new OwnIndex(place);
  try {
    await index.take();
    const bytes = await given(await index.bytes());
    if (bytes) await index.give(bytes);
  } catch (error) {
    return unusable(error);
  }
  const result = await act(Object.assign(Object.create(null), env, { [INDEX_VARIABLE]: index.copy }));
  try {
    await index.keep();
  } catch (error) {
    return unusable(error);
  }
  return result;
}

/**
 * As git does, it holds `index.lock` from when it is taken until it is disposed of. No link is followed, at its place or on the way. What
 * is copied is copied on threads of Node's.
 */
class OwnIndex implements Disposable {
  readonly #place: string;
  #folder: string | undefined;
  #lock: number | undefined;
  #isThere = false;
  /** The copy as git was given it. */
  #given: BigIntStats | undefined;

  constructor(place: string) {
    this.#place = place;
  }

  /** Where git finds it. */
  get copy(): string {
    // What hooks may write in the temporary folder does not cover this name.
    return join(this.#folder ?? "", ".git", "index");
  }

  async take(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), "cordon-index-"));
    mkdirSync(join(this.#folder, ".git"));
    this.#lock = this.#at(".lock", (path) => openSync(path, "wx", 0o600));
    const source = this.#at("", opened);
    // git makes one that is not there.
    if (source === undefined) return;
    const copy = openSync(this.copy, "wx", 0o600);
    try {
      await copyIndex(source, copy);
      this.#isThere = true;
    } finally {
      closeSync(source);
      closeSync(copy);
    }
  }

  /** What the copy has in it; `undefined` if git is to make it. */
  async bytes(): Promise<Buffer | undefined> {
    if (!this.#isThere) return undefined;
    return new Promise((resolve, reject) =>
      readFile(this.copy, (error, bytes) => (error ? reject(error) : resolve(bytes))),
    );
  }

  /** Makes these bytes the copy. */
  async give(bytes: Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) =>
      writeFile(this.copy, bytes, (error) => (error ? reject(error) : resolve())),
    );
    this.#given = lstatSync(this.copy, { bigint: true });
  }

  /** Puts the copy in its place, if git changed it, and it is an index. */
  async keep(): Promise<void> {
    const source = opened(this.copy);
    if (source === undefined || this.#lock === undefined) return;
    try {
      if (isSame(this.#given, lstatSync(this.copy, { bigint: true })) || !isIndex(source)) return;
      await copyIndex(source, this.#lock);
    } finally {
      closeSync(source);
    }
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
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #at<T>(suffix: "" | ".lock", work: (path: string) => T): T {
    return atPath({ asked: this.#place, real: this.#place + suffix }, work);
  }
}

/** git writes an index beside the one before, and renames it. */
const isSame = (one: BigIntStats | undefined, other: BigIntStats): boolean =>
  one !== undefined && (["dev", "ino", "size", "mtimeNs"] as const).every((name) => one[name] === other[name]);

/** `undefined` if nothing is there. Throws for what is no file, and for one that is too large. */
function opened(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const status = fstatSync(file);
  const fault = status.isFile()
    ? status.size > MAX_INDEX_BYTES && `it has more than ${MAX_INDEX_BYTES} bytes`
    : "it is no file";
  if (!fault) return file;
  closeSync(file);
  throw new Error(fault);
}

function isIndex(file: number): boolean {
  const mark = Buffer.alloc(INDEX_MARK.length);
  readSync(file, mark, 0, mark.length, 0);
  return mark.toString("latin1") === INDEX_MARK;
}

/** Throws where it grows over the limit meanwhile. */
async function copyIndex(source: number, target: number): Promise<void> {
  const bytes = Buffer.allocUnsafe(PART);
  for (let at = 0; ; ) {
    const count = await copyPart(source, target, bytes, at);
    if (count === 0) return;
    at += count;
    if (at > MAX_INDEX_BYTES) throw new Error(`it has more than ${MAX_INDEX_BYTES} bytes`);
  }
}
