import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";

/** The last command in each repository that the next one waits for. */
const last = new Map<string, Promise<unknown>>();

/** Runs one command of a repository after the other: what one of them looked at, another would change before it runs. */
export async function inTurn<T>(repository: string, act: () => Promise<T>): Promise<T> {
  const before = last.get(repository);
  const mine = (async () => {
    await before;
    return act();
  })();
  const ended = mine.catch(() => {});
  last.set(repository, ended);
  try {
    return await mine;
  } finally {
    if (last.get(repository) === ended) last.delete(repository);
  }
}

/**
 * Runs git on a copy of the index that the variables name, which then takes its place. A hook that was granted the file could
 * exchange it after it was looked at.
 */
export async function onOwnIndex<T>(env: NodeJS.ProcessEnv, act: (env: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  const index = env[INDEX_VARIABLE];
  if (index === undefined) return act(env);
  const folder = await mkdtemp(join(tmpdir(), "cordon-index-"));
  try {
    const own = join(folder, "index");
    // git makes one that is not there.
    await copyFile(index, own).catch(unlessMissing);
    const result = await act(Object.assign(Object.create(null), env, { [INDEX_VARIABLE]: own }));
    const written = `${index}.${randomBytes(4).toString("hex")}`;
    await copyFile(own, written).then(() => rename(written, index), unlessMissing);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
