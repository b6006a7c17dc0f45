/** What `node:fs` offers: the synchronous, callback and promise forms of one table of operations. */
import { Dirent, Stats } from "./fs-objects.ts";
import { PLANS, type Plan, pathOf, run, runNow } from "./fs-plans.ts";
import { createReadStream, createWriteStream, ReadStream, WriteStream } from "./fs-streams.ts";
import { FSWatcher, unwatchFile, watch, watchFile } from "./fs-watch.ts";
import { notOffered } from "./host.ts";

type Plans = typeof PLANS;
type Name = keyof Plans;
type Answer<N extends Name> = ReturnType<Plans[N]> extends Plan<infer T> ? T : never;
type Callback = (error: unknown, answer?: unknown) => void;

const now =
  <N extends Name>(name: N) =>
  (...args: Parameters<Plans[N]>): Answer<N> =>
    runNow((PLANS[name] as (...args: unknown[]) => Plan<Answer<N>>)(...args));

/** With `throwIfNoEntry: false`, as `statSync` takes it. */
const statNow =
  (name: "stat" | "lstat") =>
  (path: unknown, options?: { throwIfNoEntry?: boolean }): Stats | undefined => {
    try {
      return runNow(PLANS[name](path));
    } catch (thrown) {
      if (options?.throwIfNoEntry === false && /^ENO(ENT|TDIR)$/.test((thrown as { code?: string }).code ?? ""))
        return undefined;
      throw thrown;
    }
  };

const soon =
  <N extends Name>(name: N) =>
  async (...args: Parameters<Plans[N]>): Promise<Answer<N>> => {
    const options: unknown = args.at(-1);
    const signal = typeof options === "object" && options !== null && "signal" in options ? options.signal : undefined;
    const over = signal as AbortSignal | undefined;
    if (over?.aborted)
      throw Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" });
    return run((PLANS[name] as (...args: unknown[]) => Plan<Answer<N>>)(...args), over);
  };

const later =
  (name: Name) =>
  (...args: unknown[]): void => {
    const callback = args.pop() as Callback;
    if (typeof callback !== "function")
      throw Object.assign(new TypeError('The "cb" argument must be of type function.'), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    // What is wrong with an argument is thrown at once, as Node does.
    const plan = (PLANS[name] as (...args: unknown[]) => Plan<unknown>)(...args);
    run(plan).then(
      (answer) => (answer === undefined ? callback(null) : callback(null, answer)),
      (error) => callback(error),
    );
  };

export const readFileSync = now("readFile");
export const writeFileSync = now("writeFile");
export const appendFileSync = now("appendFile");
export const statSync = statNow("stat");
export const lstatSync = statNow("lstat");
export const accessSync = now("access");
export const realpathSync = Object.assign(now("realpath"), { native: now("realpath") });
export const readdirSync = now("readdir");
export const mkdirSync = now("mkdir");
export const rmdirSync = now("rmdir");
export const unlinkSync = now("unlink");
export const rmSync = now("rm");
export const renameSync = now("rename");
export const copyFileSync = now("copyFile");
export const mkdtempSync = now("mkdtemp");

export const readFile = later("readFile");
export const writeFile = later("writeFile");
export const appendFile = later("appendFile");
export const stat = later("stat");
export const lstat = later("lstat");
export const access = later("access");
export const realpath = Object.assign(later("realpath"), { native: later("realpath") });
export const readdir = later("readdir");
export const mkdir = later("mkdir");
export const rmdir = later("rmdir");
export const unlink = later("unlink");
export const rm = later("rm");
export const rename = later("rename");
export const copyFile = later("copyFile");
export const mkdtemp = later("mkdtemp");

/** Never throws, as in Node. A file that was not granted is not there; the refusal is reported beside that. */
export function existsSync(path: unknown): boolean {
  try {
    runNow(PLANS.access(path));
    return true;
  } catch {
    return false;
  }
}

export function exists(path: unknown, callback: (there: boolean) => void): void {
  let there: unknown = "";
  try {
    there = pathOf(path);
  } catch {
    // Node says no to what is no path, too.
  }
  soon("access")(there).then(
    () => callback(true),
    () => callback(false),
  );
}

export const constants = Object.freeze({
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  COPYFILE_FICLONE_FORCE: 4,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
});
export const { F_OK, R_OK, W_OK, X_OK } = constants;

export const promises = Object.freeze({
  readFile: soon("readFile"),
  writeFile: soon("writeFile"),
  appendFile: soon("appendFile"),
  stat: soon("stat"),
  lstat: soon("lstat"),
  access: soon("access"),
  realpath: soon("realpath"),
  readdir: soon("readdir"),
  mkdir: soon("mkdir"),
  rmdir: soon("rmdir"),
  unlink: soon("unlink"),
  rm: soon("rm"),
  rename: soon("rename"),
  copyFile: soon("copyFile"),
  mkdtemp: soon("mkdtemp"),
  constants,
});

const lacks = (name: string) => notOffered("fs", name, "use readFile, writeFile or appendFile");
export const openSync = lacks("openSync");
export const open = lacks("open");
export const symlinkSync = notOffered("fs", "symlinkSync");
export const linkSync = notOffered("fs", "linkSync");
export const chmodSync = notOffered("fs", "chmodSync");
export const chownSync = notOffered("fs", "chownSync");
export const utimesSync = notOffered("fs", "utimesSync");

export {
  createReadStream,
  createWriteStream,
  Dirent,
  FSWatcher,
  ReadStream,
  Stats,
  unwatchFile,
  WriteStream,
  watch,
  watchFile,
};
