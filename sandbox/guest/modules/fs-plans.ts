import { Buffer } from "unenv/node/buffer";
import { Dirent, Stats } from "./fs-objects.ts";
import { host } from "./host.ts";
import { fromBase64Text, isUtf8, MAX_BYTES, toWire, type WireData } from "./wire-data.ts";

/** One operation: what is asked of the host, and what the answer becomes. */
export interface Plan<T> {
  op: string;
  args: readonly unknown[];
  /** As in Node's errors. */
  syscall: string;
  path: string;
  dest?: string;
  take(answer: never): T;
}

type Encoding = string | null | undefined;
type Options = Encoding | { encoding?: Encoding; flag?: string; mode?: number };

const MAX_PATH = 4096;

/** A path as text. Throws as Node does for what is none. */
export function pathOf(value: unknown, name = "path"): string {
  let path: unknown = value;
  if (value instanceof Uint8Array) path = Buffer.from(value).toString();
  else if (typeof value === "object" && value !== null && "href" in value) path = ofUrl(value as URL);
  if (typeof path !== "string")
    throw fault(
      TypeError,
      "ERR_INVALID_ARG_TYPE",
      `The "${name}" argument must be of type string or an instance of Buffer or URL.`,
    );
  if (path.includes("\0"))
    throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `The argument '${name}' must be a string without null bytes.`);
  if (path.length > MAX_PATH)
    throw fault(Error, "ENAMETOOLONG", `ENAMETOOLONG: name too long, open '${path.slice(0, 50)}...'`);
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

function fault(kind: ErrorConstructor, code: string, message: string): Error {
  return Object.assign(new kind(message), { code });
}

const encodingOf = (options: Options): Encoding => (typeof options === "object" ? options?.encoding : options);

/** What is to be written, as the host takes it. */
function dataOf(data: unknown, encoding: Encoding, path: string): WireData {
  const wire = toWire(data, encoding, (bytes) =>
    fault(Error, "EFBIG", `EFBIG: ${bytes} bytes are more than a hook handles at once (${MAX_BYTES}), '${path}'`),
  );
  if (!wire || data instanceof ArrayBuffer)
    throw fault(
      TypeError,
      "ERR_INVALID_ARG_TYPE",
      'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.',
    );
  return wire;
}

function modeOf(mode: unknown, usual: number): number {
  const number = typeof mode === "string" ? Number.parseInt(mode, 8) : mode;
  return typeof number === "number" && number >= 0 ? number & 0o777 : usual;
}

const nothing = (): undefined => undefined;
const text = (encoding: Encoding): string => (isUtf8(encoding) ? "utf8" : "base64");
const decoded = (encoding: Encoding) => (answer: { text: string } | { base64: string }) => {
  if ("text" in answer) return answer.text;
  const bytes = fromBase64Text(answer.base64);
  return encoding && encoding !== "buffer" ? bytes.toString(encoding) : bytes;
};

const W_OK = 2;

/** Every operation by Node's name for its promise form. */
export const PLANS = {
  readFile(path: unknown, options?: Options): Plan<unknown> {
    const encoding = encodingOf(options);
    const named = pathOf(path);
    return { op: "fs.read", args: [named, text(encoding)], syscall: "open", path: named, take: decoded(encoding) };
  },
  writeFile(path: unknown, data: unknown, options?: Options): Plan<undefined> {
    const named = pathOf(path);
    const { flag = "w", mode } = (typeof options === "object" ? options : undefined) ?? {};
    if (flag.startsWith("a")) return PLANS.appendFile(path, data, options);
    if (!/^wx?$/.test(flag))
      throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `the flag "${flag}" is not offered to hooks`);
    const bytes = dataOf(data, encodingOf(options), named);
    return {
      op: "fs.write",
      args: [named, ...bytes, flag === "wx", modeOf(mode, 0o644)],
      syscall: "open",
      path: named,
      take: nothing,
    };
  },
  appendFile(path: unknown, data: unknown, options?: Options): Plan<undefined> {
    const named = pathOf(path);
    const mode = typeof options === "object" ? options?.mode : undefined;
    const args = [named, ...dataOf(data, encodingOf(options), named), modeOf(mode, 0o644)];
    return { op: "fs.append", args, syscall: "open", path: named, take: nothing };
  },
  stat(path: unknown): Plan<Stats> {
    const named = pathOf(path);
    return { op: "fs.stat", args: [named], syscall: "stat", path: named, take: (facts) => new Stats(facts) };
  },
  lstat(path: unknown): Plan<Stats> {
    const named = pathOf(path);
    return { op: "fs.lstat", args: [named], syscall: "lstat", path: named, take: (facts) => new Stats(facts) };
  },
  access(path: unknown, mode = 0): Plan<undefined> {
    const named = pathOf(path);
    const op = (mode & W_OK) !== 0 ? "fs.writable" : "fs.stat";
    return { op, args: [named], syscall: "access", path: named, take: nothing };
  },
  realpath(path: unknown): Plan<string> {
    const named = pathOf(path);
    return { op: "fs.realpath", args: [named], syscall: "realpath", path: named, take: (real: string) => real };
  },
  readdir(
    path: unknown,
    options?: Encoding | { withFileTypes?: boolean; recursive?: boolean },
  ): Plan<(string | Dirent)[]> {
    const named = pathOf(path);
    const { withFileTypes = false, recursive = false } = (typeof options === "object" ? options : undefined) ?? {};
    const take = (entries: { name: string; type: string }[]) =>
      entries.map(({ name, type }) => (withFileTypes ? new Dirent(name, type, named) : name));
    return { op: "fs.readdir", args: [named, recursive === true], syscall: "scandir", path: named, take };
  },
  mkdir(path: unknown, options?: number | { recursive?: boolean; mode?: number }): Plan<string | undefined> {
    const named = pathOf(path);
    const { recursive = false, mode } = typeof options === "object" ? options : { mode: options };
    const args = [named, recursive === true, modeOf(mode, 0o777)];
    return { op: "fs.mkdir", args, syscall: "mkdir", path: named, take: (first: string | null) => first ?? undefined };
  },
  rmdir(path: unknown): Plan<undefined> {
    const named = pathOf(path);
    return { op: "fs.rmdir", args: [named], syscall: "rmdir", path: named, take: nothing };
  },
  unlink(path: unknown): Plan<undefined> {
    const named = pathOf(path);
    return { op: "fs.unlink", args: [named], syscall: "unlink", path: named, take: nothing };
  },
  rm(
    path: unknown,
    { recursive = false, force = false }: { recursive?: boolean; force?: boolean } = {},
  ): Plan<undefined> {
    const named = pathOf(path);
    return {
      op: "fs.rm",
      args: [named, recursive === true, force === true],
      syscall: "rm",
      path: named,
      take: nothing,
    };
  },
  rename(from: unknown, to: unknown): Plan<undefined> {
    const [path, dest] = [pathOf(from, "oldPath"), pathOf(to, "newPath")];
    return { op: "fs.rename", args: [path, dest], syscall: "rename", path, dest, take: nothing };
  },
  copyFile(from: unknown, to: unknown, mode = 0): Plan<undefined> {
    const [path, dest] = [pathOf(from, "src"), pathOf(to, "dest")];
    return { op: "fs.copy", args: [path, dest, (mode & 1) !== 0], syscall: "copyfile", path, dest, take: nothing };
  },
  mkdtemp(prefix: unknown): Plan<string> {
    const path = pathOf(`${pathOf(prefix, "prefix")}${host.random(3)}`);
    return { op: "fs.mkdtemp", args: [path], syscall: "mkdtemp", path, take: () => path };
  },
};

/** Numbers that Node gives with the errors of Linux. */
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

/** The host's error with what Node's own carries besides. */
export function dressed(thrown: unknown, { syscall, path, dest }: Plan<unknown>): unknown {
  const { code } = thrown as { code?: string };
  if (code === undefined || !(thrown instanceof Error)) return thrown;
  const errno = ERRNO[code];
  return Object.assign(thrown, { ...(errno ? { errno, syscall } : {}), path, ...(dest === undefined ? {} : { dest }) });
}

export function runNow<T>(plan: Plan<T>): T {
  try {
    return plan.take(host.sync(plan.op, plan.args) as never);
  } catch (thrown) {
    throw dressed(thrown, plan);
  }
}

export async function run<T>(plan: Plan<T>, signal?: object): Promise<T> {
  try {
    return plan.take((await host.call(plan.op, plan.args, signal)) as never);
  } catch (thrown) {
    throw dressed(thrown, plan);
  }
}
