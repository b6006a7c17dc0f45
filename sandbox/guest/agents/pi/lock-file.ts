/** The locks of `proper-lockfile`, which pi's settings use: a folder beside the file, which one process at a time can make. */
import { mkdirSync, rmdirSync, statSync } from "../../node/fs.ts";

/** Age in ms at which a lock is taken over, since the process that made it has probably died. */
const STALE = 10_000;

interface Options {
  lockfilePath?: string;
}

const folderOf = (file: string, { lockfilePath }: Options): string => lockfilePath ?? `${file}.lock`;

/** Locks a file. Returns what unlocks it. Throws `ELOCKED` while another process has it. */
function lockSync(file: string, options: Options = {}): () => void {
  const folder = folderOf(file, options);
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    const made = statSync(folder)?.mtime as Date | undefined;
    if (made && Date.now() - made.getTime() < STALE)
      throw Object.assign(new Error("Lock file is already being held"), { code: "ELOCKED", file });
    rmdirSync(folder);
    mkdirSync(folder);
  }
  return () => rmdirSync(folder);
}

const lock = async (file: string, options?: Options): Promise<() => Promise<void>> => {
  const release = lockSync(file, options);
  return async () => release();
};

export default { lock, lockSync };
