import type { AnswerOf } from "../../wire/answers.ts";
import type { ArgumentsOf, BlockingName, OperationName } from "../../wire/operations.ts";
import { Buffer } from "./buffer.ts";
import { carriedAnswer, carriedBytes, noted } from "./carried-files.ts";
import { fault, wrongType } from "./fault.ts";
import { Dirent, Stats } from "./fs-objects.ts";
import { host } from "./host.ts";
import { fromBase64Text, inEncoding, isEncoding, isUtf8, MAX_BYTES, toWire, type WireData } from "./wire-data.ts";

/** One operation. `now` blocks the hook, `later` does not. Its other properties are those in Node's errors. */
export interface Plan<T> {
  readonly op: OperationName;
  readonly syscall: string;
  readonly path: string;
  readonly dest?: string;
  now(): T;
  later(signal?: object): Promise<T>;
}

/** The first of `args` is the path. @param take converts the host's answer */
export const plan = <Name extends Extract<BlockingName, `fs.${string}`>, T>(
  op: Name,
  args: ArgumentsOf<Name>,
  syscall: string,
  take: (answer: AnswerOf<Name>) => T,
  dest?: string,
): Plan<T> => ({
  op,
  syscall,
  path: args[0],
  dest,
  now: () => take(carriedAnswer(op, args) ?? noted(op, args, host.sync(op, args))),
  later: async (signal) => take(carriedAnswer(op, args) ?? noted(op, args, await host.call(op, args, signal))),
});

type Encoding = string | null | undefined;
export type Options = Encoding | { encoding?: Encoding; flag?: string; mode?: number };

const MAX_PATH = 4096;
const MAX_PART = 255;

/** Converts a path to a string. Throws Node's errors for an invalid path. */
export function pathOf(value: unknown, name = "path"): string {
  let path: unknown = value;
  if (value instanceof Uint8Array) path = Buffer.from(value).toString();
  else if (typeof value === "object" && value !== null && "href" in value) path = ofUrl(value as URL);
  if (typeof path !== "string") throw wrongType(name, "of type string or an instance of Buffer or URL");
  if (path.includes("\0"))
    throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `The argument '${name}' must be a string without null bytes.`);
  if (path.length > MAX_PATH)
    throw fault(Error, "ENAMETOOLONG", `ENAMETOOLONG: name too long, open '${path.slice(0, 50)}...'`);
  if (path.split("/").some((part) => part.length > MAX_PART))
    throw fault(Error, "ENAMETOOLONG", `ENAMETOOLONG: name too long, open '${path}'`, {
      errno: -36,
      syscall: "open",
      path,
    });
  return path;
}

function ofUrl({ protocol, hostname, pathname }: URL): string {
  if (protocol !== "file:") throw fault(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  if (hostname !== "")
    throw fault(TypeError, "ERR_INVALID_FILE_URL_HOST", `File URL host must be "localhost" or empty`);
  if (/%2f/i.test(pathname))
    throw fault(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded / characters");
  return decodeURIComponent(pathname);
}

export function encodingOf(options: Options): Encoding {
  const encoding = typeof options === "object" ? options?.encoding : options;
  if (typeof encoding === "string" && encoding !== "buffer" && !isEncoding(encoding))
    throw fault(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'encoding' is invalid encoding.");
  return encoding;
}

/** Converts data to be written for the host. */
function dataOf(data: unknown, encoding: Encoding, path: string): WireData {
  const wire = toWire(data, encoding, (bytes) =>
    fault(Error, "EFBIG", `EFBIG: ${bytes} bytes are more than a hook handles at once (${MAX_BYTES}), '${path}'`),
  );
  if (!wire || data instanceof ArrayBuffer)
    throw wrongType("data", "of type string or an instance of Buffer, TypedArray, or DataView");
  return wire;
}

function modeOf(mode: unknown, usual: number): number {
  const number = typeof mode === "string" ? Number.parseInt(mode, 8) : mode;
  return typeof number === "number" && number >= 0 ? number & 0o777 : usual;
}

/** Milliseconds of a time, which is a date or seconds. */
function msOf(time: unknown): number {
  const ms = time instanceof Date ? time.getTime() : Number(time) * 1000;
  if (!Number.isFinite(ms)) throw wrongType("time", "an instance of Date or an Time in seconds");
  return Math.max(0, Math.round(ms));
}

const nothing = (): undefined => undefined;
const text = (encoding: Encoding): "utf8" | "base64" => (isUtf8(encoding) ? "utf8" : "base64");
const decoded = (encoding: Encoding) => (answer: AnswerOf<"fs.read">) => {
  if ("text" in answer) return answer.text;
  const bytes = fromBase64Text(answer.base64);
  return encoding && encoding !== "buffer" ? inEncoding(bytes, encoding) : bytes;
};

const W_OK = 2;
const X_OK = 1;

/** The three offered ways to write: replace a file, create a new file, or append to a file. */
function flagOf(flag: unknown): "w" | "wx" | "a" {
  if (flag === "w" || flag === "a") return flag;
  if (flag === "as") return "a";
  // For a file that must be new, writing and appending are the same.
  if (flag === "wx" || flag === "xw" || flag === "ax" || flag === "xa") return "wx";
  throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `the flag ${JSON.stringify(flag)} is not offered to hooks`);
}

/** The operations, by the names of Node's promise functions. */
export const PLANS = {
  readFile(path: unknown, options?: Options): Plan<unknown> {
    const encoding = encodingOf(options);
    return plan("fs.read", [pathOf(path), text(encoding)], "open", decoded(encoding));
  },
  writeFile(path: unknown, data: unknown, options?: Options): Plan<undefined> {
    const named = pathOf(path);
    const { flag, mode } = (typeof options === "object" ? options : undefined) ?? {};
    const how = flagOf(flag ?? "w");
    const bytes = dataOf(data, encodingOf(options), named);
    const bits = modeOf(mode, 0o644);
    return how === "a"
      ? plan("fs.append", [named, ...bytes, bits], "open", nothing)
      : plan("fs.write", [named, ...bytes, how === "wx", bits], "open", nothing);
  },
  appendFile(path: unknown, data: unknown, options?: Options): Plan<undefined> {
    const given = typeof options === "object" ? options : { encoding: options };
    return PLANS.writeFile(path, data, { ...given, flag: given?.flag ?? "a" });
  },
  stat: (path: unknown): Plan<Stats> => plan("fs.stat", [pathOf(path)], "stat", (facts) => new Stats(facts)),
  lstat: (path: unknown): Plan<Stats> => plan("fs.lstat", [pathOf(path)], "lstat", (facts) => new Stats(facts)),
  access(path: unknown, mode = 0): Plan<undefined> {
    const named = pathOf(path);
    if (!(mode >= 0 && mode <= 7)) throw fault(RangeError, "ERR_OUT_OF_RANGE", "mode is out of range: >= 0 && <= 7");
    const op = (mode & W_OK) !== 0 ? "fs.writable" : "fs.stat";
    return plan(op, [named], "access", (facts): undefined => {
      if ((mode & X_OK) !== 0 && facts && (facts.mode & 0o111) === 0)
        throw fault(Error, "EACCES", "EACCES: permission denied");
    });
  },
  realpath: (path: unknown): Plan<string> => plan("fs.realpath", [pathOf(path)], "realpath", (real) => real),
  readdir(
    path: unknown,
    options?: Encoding | { withFileTypes?: boolean; recursive?: boolean },
  ): Plan<(string | Dirent)[]> {
    const named = pathOf(path);
    const { withFileTypes = false, recursive = false } = (typeof options === "object" ? options : undefined) ?? {};
    const encoding = encodingOf(options as Options);
    const asked = (name: string): string =>
      encoding && !isUtf8(encoding) ? (decoded(encoding)({ base64: btoa(name) }) as string) : name;
    return plan("fs.readdir", [named, recursive === true], "scandir", (entries) =>
      entries.map(({ name, type }) => (withFileTypes ? new Dirent(name, type, named) : asked(name))),
    );
  },
  mkdir(path: unknown, options?: number | { recursive?: boolean; mode?: number }): Plan<string | undefined> {
    const named = pathOf(path);
    const { recursive = false, mode } = (typeof options === "object" ? options : { mode: options }) ?? {};
    return plan("fs.mkdir", [named, recursive === true, modeOf(mode, 0o777)], "mkdir", (made) => {
      // Node returns the first folder that was created, spelled as in the path.
      const parts = named.replace(/\/+$/, "").split("/");
      return made && recursive ? parts.slice(0, parts.length - made + 1).join("/") : undefined;
    });
  },
  rmdir: (path: unknown): Plan<undefined> => plan("fs.rmdir", [pathOf(path)], "rmdir", nothing),
  unlink: (path: unknown): Plan<undefined> => plan("fs.unlink", [pathOf(path)], "unlink", nothing),
  rm(path: unknown, options: { recursive?: boolean; force?: boolean } = {}): Plan<undefined> {
    const named = pathOf(path);
    if (typeof options !== "object" || options === null) throw wrongType("options", "of type object");
    const { recursive = false, force = false } = options;
    return plan("fs.rm", [named, recursive === true, force === true], "rm", nothing);
  },
  rename(from: unknown, to: unknown): Plan<undefined> {
    const [path, dest] = [pathOf(from, "oldPath"), pathOf(to, "newPath")];
    return plan("fs.rename", [path, dest], "rename", nothing, dest);
  },
  readlink(path: unknown, options?: Options): Plan<string | Buffer> {
    const encoding = encodingOf(options);
    return plan("fs.readlink", [pathOf(path)], "readlink", (text) =>
      encoding && !isUtf8(encoding)
        ? decoded(encoding)({ base64: btoa(String.fromCharCode(...Buffer.from(text))) })
        : text,
    );
  },
  symlink(target: unknown, link: unknown, type?: unknown): Plan<undefined> {
    const [text, path] = [pathOf(target, "target"), pathOf(link)];
    if (![undefined, null, "dir", "file", "junction"].includes(type as undefined)) {
      const what = "The argument 'type' must be one of: 'dir', 'file', 'junction', null, undefined.";
      throw fault(TypeError, "ERR_INVALID_ARG_VALUE", what);
    }
    return { ...plan("fs.symlink", [path, text], "symlink", nothing), path: text, dest: path };
  },
  link(from: unknown, to: unknown): Plan<undefined> {
    const [path, dest] = [pathOf(from, "existingPath"), pathOf(to, "newPath")];
    return plan("fs.link", [path, dest], "link", nothing, dest);
  },
  copyFile(from: unknown, to: unknown, mode = 0): Plan<undefined> {
    const [path, dest] = [pathOf(from, "src"), pathOf(to, "dest")];
    const isNew = (mode & 1) !== 0;
    const carried = carriedBytes(path);
    if (carried)
      return { ...PLANS.writeFile(dest, carried, { flag: isNew ? "wx" : "w" }), syscall: "copyfile", path, dest };
    return plan("fs.copy", [path, dest, isNew], "copyfile", nothing, dest);
  },
  mkdtemp(prefix: unknown): Plan<string> {
    const path = pathOf(`${pathOf(prefix, "prefix")}${host.random(3)}`);
    return plan("fs.mkdtemp", [path], "mkdtemp", () => path);
  },
  chmod(path: unknown, mode: unknown): Plan<undefined> {
    const bits = typeof mode === "string" ? Number.parseInt(mode, 8) : mode;
    if (typeof bits !== "number" || !(bits >= 0 && bits < 2 ** 32)) {
      const what = "The argument 'mode' must be a 32-bit unsigned integer or an octal string.";
      throw fault(TypeError, "ERR_INVALID_ARG_VALUE", what);
    }
    return plan("fs.chmod", [pathOf(path), bits & 0o777], "chmod", nothing);
  },
  utimes(path: unknown, accessed: unknown, modified: unknown): Plan<undefined> {
    return plan("fs.utimes", [pathOf(path), msOf(accessed), msOf(modified)], "utime", nothing);
  },
};

/** Linux error numbers, as in Node's errors. */
const ERRNO: Record<string, number> = {
  EPERM: -1,
  ENOENT: -2,
  EACCES: -13,
  EEXIST: -17,
  EXDEV: -18,
  ENOTDIR: -20,
  EISDIR: -21,
  EINVAL: -22,
  EFBIG: -27,
  ENOSPC: -28,
  EROFS: -30,
  EMLINK: -31,
  ENAMETOOLONG: -36,
  ENOTEMPTY: -39,
  ELOOP: -40,
};

/** Adds the properties of Node's errors to the host's error. */
export function nodeError(thrown: unknown, { op, syscall: usual, path, dest }: Plan<unknown>): unknown {
  const { code } = thrown as { code?: string };
  if (code === undefined || !(thrown instanceof Error)) return thrown;
  const errno = ERRNO[code];
  const paths = { path, ...(dest === undefined ? {} : { dest }) };
  if (!errno) return Object.assign(thrown, paths);
  if (usual === "rm" && code === "EISDIR") {
    const message = `Path is a directory: rm returned EISDIR (is a directory) ${path}`;
    const facts = { name: "SystemError", code: "ERR_FS_EISDIR", errno: 21, syscall: usual, path };
    return Object.assign(new Error(message), facts);
  }
  // In these cases, Node's error names another system call.
  const syscall = usual === "rm" ? "lstat" : usual === "open" && code === "EISDIR" && op === "fs.read" ? "read" : usual;
  const reason = /^[A-Z0-9]+: [^,]*/.exec(thrown.message)?.[0] ?? code;
  const named = `'${path}'${dest === undefined ? "" : ` -> '${dest}'`}`;
  return fault(Error, code, `${reason}, ${syscall} ${named}`, { errno, syscall, ...paths });
}

export function runNow<T>(plan: Plan<T>): T {
  try {
    return plan.now();
  } catch (thrown) {
    throw nodeError(thrown, plan);
  }
}

export async function run<T>(plan: Plan<T>, signal?: object): Promise<T> {
  try {
    return await plan.later(signal);
  } catch (thrown) {
    throw nodeError(thrown, plan);
  }
}
