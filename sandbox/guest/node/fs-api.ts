/** The functions of `node:fs`: the synchronous, callback and promise versions of one table of operations. */
import { aborted, wrongType } from "./fault.ts";
import { shortening } from "./fs-descriptors.ts";
import { open as openHandle } from "./fs-file-handle.ts";
import { O } from "./fs-flags.ts";
import { opendirSoon } from "./fs-folder.ts";
import { isNumber } from "./fs-numbers.ts";
import { Dirent, Stats } from "./fs-objects.ts";
import { PLANS, type Plan, pathOf, run, runNow } from "./fs-plans.ts";
import { soon as stepwise } from "./fs-steps.ts";
import { createReadStream, createWriteStream } from "./fs-streams.ts";
import { FSWatcher, unwatchFile, watch, watchFile } from "./fs-watch.ts";
import { readNumber, readNumberSync, writeNumber, writeNumberSync } from "./fs-whole.ts";
import { notOffered } from "./host.ts";

type Plans = typeof PLANS;
type Name = keyof Plans;
type Answer<N extends Name> = ReturnType<Plans[N]> extends Plan<infer T> ? T : never;
type Callback = (error: unknown, answer?: unknown) => void;

const now =
  <N extends Name>(name: N) =>
  (...args: Parameters<Plans[N]>): Answer<N> =>
    runNow((PLANS[name] as (...args: unknown[]) => Plan<Answer<N>>)(...args));

/** `statSync` and `lstatSync`, with the option `throwIfNoEntry`. */
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
    if (over?.aborted) throw aborted();
    return run((PLANS[name] as (...args: unknown[]) => Plan<Answer<N>>)(...args), over);
  };

const later =
  (name: Name) =>
  (...args: unknown[]): void => {
    const callback = args.pop() as Callback;
    if (typeof callback !== "function") throw wrongType("cb", "of type function");
    // Errors in arguments are thrown at once, as in Node.
    const plan = (PLANS[name] as (...args: unknown[]) => Plan<unknown>)(...args);
    run(plan).then(
      (answer) => (answer === undefined ? callback(null) : callback(null, answer)),
      (error) => callback(error),
    );
  };

const wholeRead = /* @__PURE__ */ now("readFile");
export const readFileSync: typeof wholeRead = (path, options) =>
  isNumber(path) ? readNumberSync(path, options) : wholeRead(path, options);
const writing = (name: "writeFile" | "appendFile"): ((...args: Parameters<Plans["writeFile"]>) => undefined) => {
  const whole = now(name);
  return (path, data, options) =>
    isNumber(path) ? void writeNumberSync(path, data, options) : whole(path, data, options);
};
export const writeFileSync = /* @__PURE__ */ writing("writeFile");
export const appendFileSync = /* @__PURE__ */ writing("appendFile");
export const statSync = /* @__PURE__ */ statNow("stat");
export const lstatSync = /* @__PURE__ */ statNow("lstat");
export const accessSync = /* @__PURE__ */ now("access");
export const realpathSync = /* @__PURE__ */ Object.assign(now("realpath"), { native: now("realpath") });
export const readdirSync = /* @__PURE__ */ now("readdir");
export const mkdirSync = /* @__PURE__ */ now("mkdir");
export const rmdirSync = /* @__PURE__ */ now("rmdir");
export const unlinkSync = /* @__PURE__ */ now("unlink");
export const rmSync = /* @__PURE__ */ now("rm");
export const readlinkSync = /* @__PURE__ */ now("readlink");
export const symlinkSync = /* @__PURE__ */ now("symlink");
export const linkSync = /* @__PURE__ */ now("link");
export const renameSync = /* @__PURE__ */ now("rename");
export const copyFileSync = /* @__PURE__ */ now("copyFile");
export const mkdtempSync = /* @__PURE__ */ now("mkdtemp");
export const chmodSync = /* @__PURE__ */ now("chmod");
export const utimesSync = /* @__PURE__ */ now("utimes");

/** With a path, or with the number of an open file. */
const wholeLater =
  (name: Name, ofNumber: typeof readNumber): typeof ofNumber =>
  (...args) =>
    (isNumber(args[0]) ? ofNumber : later(name))(...args);
export const readFile = /* @__PURE__ */ wholeLater("readFile", readNumber);
export const writeFile = /* @__PURE__ */ wholeLater("writeFile", writeNumber);
export const appendFile = /* @__PURE__ */ wholeLater("appendFile", writeNumber);
export const stat = /* @__PURE__ */ later("stat");
export const lstat = /* @__PURE__ */ later("lstat");
export const access = /* @__PURE__ */ later("access");
export const realpath = /* @__PURE__ */ Object.assign(later("realpath"), { native: later("realpath") });
export const readdir = /* @__PURE__ */ later("readdir");
export const mkdir = /* @__PURE__ */ later("mkdir");
export const rmdir = /* @__PURE__ */ later("rmdir");
export const unlink = /* @__PURE__ */ later("unlink");
export const rm = /* @__PURE__ */ later("rm");
export const readlink = /* @__PURE__ */ later("readlink");
export const symlink = /* @__PURE__ */ later("symlink");
export const link = /* @__PURE__ */ later("link");
export const rename = /* @__PURE__ */ later("rename");
export const copyFile = /* @__PURE__ */ later("copyFile");
export const mkdtemp = /* @__PURE__ */ later("mkdtemp");
export const chmod = /* @__PURE__ */ later("chmod");
export const utimes = /* @__PURE__ */ later("utimes");

/** Never throws, as in Node. Returns false for a file that is not granted; the host reports the refusal. */
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
    // For an invalid path, Node's answer is false, too.
  }
  soon("access")(there).then(
    () => callback(true),
    () => callback(false),
  );
}

export const constants = /* @__PURE__ */ Object.freeze({
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  COPYFILE_FICLONE_FORCE: 4,
  ...O,
});
export const { F_OK, R_OK, W_OK, X_OK } = constants;

/** A hook that names the promise functions as a whole gets all of them. */
const allSoon = () => {
  const functions = Object.fromEntries(Object.keys(PLANS).map((name) => [name, soon(name as Name)]));
  type Soon = { readonly [N in Name]: (...args: Parameters<Plans[N]>) => Promise<Answer<N>> };
  const truncate = async (path: unknown, length?: unknown): Promise<void> => stepwise(shortening(path, length));
  return Object.freeze({
    ...(functions as Soon),
    open: openHandle,
    opendir: opendirSoon,
    truncate,
    constants,
  });
};
export const promises = /* @__PURE__ */ allSoon();

export {
  close,
  closeSync,
  fchmod,
  fchmodSync,
  fdatasync,
  fdatasyncSync,
  fstat,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncate,
  ftruncateSync,
  futimes,
  futimesSync,
  open,
  openSync,
  read,
  readSync,
  truncate,
  truncateSync,
  write,
  writeSync,
} from "./fs-descriptors.ts";

export { Dir, opendir, opendirSync } from "./fs-folder.ts";

export const chownSync = /* @__PURE__ */ notOffered("fs", "chownSync");

export { createReadStream, createWriteStream, Dirent, FSWatcher, Stats, unwatchFile, watch, watchFile };
