import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { OwnPaths } from "../../src/disk/own-paths.ts";
import type { fs } from "../../src/powers/fs.ts";
import type { FsGrant } from "../../src/powers/fs-grant.ts";
import type { Session } from "../../src/powers/lent-session.ts";

type Platform = "darwin" | "linux" | "win32";

const own = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;

/** Returns the result of `act` in a process that claims to be on another system, and restores the process. */
export function on<T>(platform: Platform, act: () => T): T {
  Object.defineProperty(process, "platform", { ...own, value: platform });
  try {
    return act();
  } finally {
    Object.defineProperty(process, "platform", own);
  }
}

declare module "vitest" {
  interface ProvidedContext {
    /** Whether the suite has a process of its own. */
    alone: boolean;
  }
}

/**
 * Loads modules that read the platform when they are loaded, and no others: the code that starts the sandbox has to know
 * the real platform. Only for suites with a process of their own: those that share one share its modules.
 */
export async function loadedOn<T>(platform: Platform, load: () => Promise<T>): Promise<T> {
  if (!inject("alone")) throw new Error("a suite that loads modules as on another system has to be in ALONE");
  Object.defineProperty(process, "platform", { ...own, value: platform });
  try {
    return await load();
  } finally {
    Object.defineProperty(process, "platform", own);
  }
}

/**
 * A checked call: `request` is what was permitted, if anything, and `wider` is what a person would be asked to grant.
 * `perform` does it.
 */
export function checked(
  power: typeof fs,
  cwd: string,
  grant: FsGrant,
  verb: string,
  args: readonly unknown[],
): { request: unknown; wider: FsGrant | undefined; perform(): Promise<unknown> } {
  const call = power[`fs.${verb}` as keyof typeof fs];
  const circumstances = {
    hook: { id: "hook", name: "hook", unread: 0 },
    session: { cwd, own: new OwnPaths([]) } as unknown as Session,
    event: undefined,
    blocks: false,
    signal: new AbortController().signal,
    last: () => {},
    also: () => {},
    seen: () => {},
  };
  const asked = call.ask(args, circumstances);
  const request = asked.check({ fs: grant });
  return {
    request,
    wider: asked.propose() as FsGrant | undefined,
    perform: async (): Promise<unknown> => {
      if (!request) throw Object.assign(new Error("refused"), { code: "NOT_GRANTED" });
      return request.perform();
    },
  };
}

/** Every call with its arguments. Paths come first. */
export const CALLS: Record<string, { paths: 1 | 2; rest: readonly unknown[] }> = {
  read: { paths: 1, rest: ["utf8"] },
  readlink: { paths: 1, rest: [] },
  // What it leads to is judged like a path, though it is a text.
  symlink: { paths: 2, rest: [] },
  link: { paths: 2, rest: [] },
  write: { paths: 1, rest: ["utf8", "new", false, 0o666] },
  append: { paths: 1, rest: ["utf8", "new", 0o666] },
  stat: { paths: 1, rest: [] },
  lstat: { paths: 1, rest: [] },
  writable: { paths: 1, rest: [] },
  look: { paths: 1, rest: [] },
  changed: { paths: 1, rest: [""] },
  realpath: { paths: 1, rest: [] },
  readdir: { paths: 1, rest: [false] },
  mkdir: { paths: 1, rest: [false, 0o777] },
  mkdtemp: { paths: 1, rest: [] },
  chmod: { paths: 1, rest: [0o600] },
  utimes: { paths: 1, rest: [1000, 1000] },
  rmdir: { paths: 1, rest: [] },
  unlink: { paths: 1, rest: [] },
  rm: { paths: 1, rest: [false, false] },
  rename: { paths: 2, rest: [] },
  copy: { paths: 2, rest: [false] },
};

export const NOTE = "a/b/note.txt";

/** Every call, on the content of the folder `a/b`. */
export const IN_FOLDER: [verb: string, ...args: unknown[]][] = [
  ["read", NOTE, "utf8"],
  ["write", NOTE, "utf8", "new", false, 0o666],
  ["write", "a/b/new.txt", "utf8", "new", true, 0o666],
  ["append", NOTE, "utf8", "new", 0o666],
  ["append", "a/b/new.txt", "utf8", "new", 0o666],
  ["stat", NOTE],
  ["lstat", NOTE],
  ["writable", NOTE],
  ["look", NOTE],
  ["changed", NOTE, ""],
  ["realpath", NOTE],
  ["readdir", "a/b", false],
  ["readdir", "a/b", true],
  ["mkdir", "a/b/new", false, 0o777],
  ["mkdir", "a/b/new/deep", true, 0o777],
  ["mkdtemp", "a/b/temp-XXXXXX"],
  ["rmdir", "a/b/empty"],
  ["unlink", NOTE],
  ["rm", NOTE, false, true],
  ["rm", "a/b/empty", true, false],
  ["rename", NOTE, "mine"],
  ["rename", "plain", "a/b/plain"],
  ["copy", NOTE, "mine", false],
  ["copy", "plain", NOTE, false],
];

/** Calls on a file, by their names in {@link REPLACED}. */
export const ON_FILE: Record<string, [verb: string, ...args: unknown[]]> = {
  read: ["read", NOTE, "utf8"],
  write: ["write", NOTE, "utf8", "new", false, 0o666],
  append: ["append", NOTE, "utf8", "new", 0o666],
  stat: ["stat", NOTE],
  from: ["copy", NOTE, "mine", false],
  onto: ["copy", "plain", NOTE, false],
  lstat: ["lstat", NOTE],
  rename: ["rename", NOTE, "mine"],
  unlink: ["unlink", NOTE],
  rm: ["rm", NOTE, false, false],
};

/** What replaces a checked file, and the code that each call then fails with. */
export const REPLACED: {
  name: string;
  put: (path: string, world: string) => void;
  codes: Record<string, string | undefined>;
}[] = [
  {
    name: "a link to a file outside",
    put: (path, world) => symlinkSync(join(world, "outside/b/note.txt"), path),
    codes: { read: "ELOOP", write: "EINVAL", append: "ELOOP", stat: "ELOOP", from: "ELOOP", onto: "EINVAL" },
  },
  {
    name: "a link to a granted file",
    put: (path) => symlinkSync("../../plain", path),
    codes: { read: "ELOOP", write: "EINVAL", append: "ELOOP", stat: "ELOOP", from: "ELOOP", onto: "EINVAL" },
  },
  {
    name: "a link to a new file outside",
    put: (path, world) => symlinkSync(join(world, "outside/b/new.txt"), path),
    codes: { read: "ELOOP", write: "EINVAL", append: "ELOOP", stat: "ELOOP", onto: "EINVAL" },
  },
  {
    name: "a hard link to a file outside",
    put: (path, world) => linkSync(join(world, "outside/b/note.txt"), path),
    codes: { write: "EINVAL", append: "EMLINK", onto: "EINVAL" },
  },
  {
    name: "a pipe",
    put: (path) => execFileSync("mkfifo", [path]),
    codes: { read: "EINVAL", write: "EINVAL", append: "ENXIO", from: "EINVAL", onto: "EINVAL" },
  },
  {
    name: "a folder",
    put: (path) => mkdirSync(path),
    codes: { read: "EISDIR", write: "EISDIR", append: "EISDIR", from: "EISDIR", onto: "EISDIR", unlink: "EISDIR" },
  },
  {
    name: "another file",
    put: (path) => writeFileSync(path, "another"),
    codes: { read: undefined, write: undefined, append: undefined, stat: undefined, from: undefined, onto: undefined },
  },
  {
    name: "a link to outside, for calls that read, remove or move the link itself",
    put: (path, world) => symlinkSync(join(world, "outside/b/note.txt"), path),
    codes: { lstat: undefined, unlink: undefined, rm: undefined, rename: "NOT_GRANTED" },
  },
];

export const codeOf = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};
