import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import Type, { type TSchema } from "typebox";
import { MAX_FRAME_BYTES } from "../../sandbox/protocol.ts";
import type { Session } from "../session.ts";
import { type Capability, letThrough } from "./capability.ts";
import { type FsGrant, type FsRight, isRefused, permits, rootsOf, slashed } from "./fs-grant.ts";
import { absolute, atPlace, faultOfPath, isSpecial, openFile, type Place, realPlace } from "./fs-place.ts";

/** Most bytes that one call reads or writes, and most entries that it lists or removes. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_ENTRIES = 20_000;

/** Folders that are listed before the agent has a turn. */
const FOLDERS_AT_ONCE = 20;

/** A character of text takes six bytes as JSON, at the most. */
const ALWAYS_FITS = 1024 * 1024;
const MAX_ANSWER = MAX_FRAME_BYTES - 1024;
const COPY_LIMIT = 64 * 1024 * 1024;

const PER_MINUTE = 6000;

/** How often a watched place is looked at, and the least rest after a look, as a multiple of what it took. */
const LOOK_EVERY_MS = 100;
const LOOK_PAUSE = 200;

const path = Type.String({ maxLength: 4096 });
const data = Type.String({ maxLength: 7_000_000 });
const encoding = Type.Enum(["utf8", "base64"]);
const size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const mode = Type.Integer({ minimum: 0, maximum: 0o777 });

/** What a call asks for: paths, each under the right it needs, and the other arguments. */
interface Request {
  paths: readonly string[];
  rest: readonly unknown[];
  /** Set by `check`: where the paths lead, and what was granted. */
  places?: readonly Place[];
  granted?: FsGrant;
}

type May = (right: FsRight, real: string) => boolean;

interface Operation {
  request: TSchema;
  /** The right that each leading argument, a path, needs. */
  rights: readonly FsRight[];
  /** A link itself is meant, not what it leads to. */
  link?: boolean;
  /** It answers when something happens, which a call that blocks must not wait for. */
  later?: boolean;
  perform(places: readonly Place[], rest: readonly unknown[], may: May, signal: AbortSignal): unknown;
}

type Roots = ReturnType<typeof rootsOf>;
const pinned = new WeakMap<Session, Roots>();

/** `$CWD` and its kind, as they are when a session first needs them: a folder that is put in their place is another. */
function rootsIn(session: Session): Roots {
  const roots = pinned.get(session) ?? rootsOf(session.cwd);
  pinned.set(session, roots);
  return roots;
}

function operation(
  verb: string,
  { request, rights, link = false, later = false, perform }: Operation,
): Capability<FsGrant, Request> {
  return {
    capability: "fs",
    ...(later ? {} : { sync: "also" }),
    request,
    read: (args) => ({ paths: args.slice(0, rights.length) as string[], rest: args.slice(rights.length) }),
    check(asked, grant, { session }) {
      const places = asked.paths.map((path, index) =>
        placeOf(path, grant?.[rights[index] as FsRight] ?? [], rights[index] as FsRight, link, session),
      );
      if (!places.every((place) => place !== undefined)) return undefined;
      return letThrough({ ...asked, places, granted: grant ?? {} });
    },
    async perform({ places = [], rest, granted = {} }, { session, signal }) {
      const may: May = (right, real) => permits(granted[right] ?? [], right, slashed(real), rootsIn(session));
      try {
        return (await perform(places, rest, may, signal)) ?? null;
      } catch (error) {
        throw inWordsOfTheHook(error, places);
      }
    },
    describe: ({ paths }) => `${rights[0] === "watch" ? "watch" : verb} ${paths.join(" and ")}`,
    widen(asked, grant, { session }) {
      const wider: FsGrant = structuredClone(grant ?? {});
      for (const [index, path] of asked.paths.entries()) {
        const right = rights[index] as FsRight;
        const pattern = patternFor(path, right, session);
        if (pattern === undefined) return undefined;
        wider[right] = [...new Set([...(wider[right] ?? []), pattern])];
      }
      return wider;
    },
    waits: false,
    perMinute: () => PER_MINUTE,
  };
}

/** Where a path leads, if both it and the place are among the granted. */
function placeOf(
  asked: string,
  granted: readonly string[],
  right: FsRight,
  link: boolean,
  session: Session,
): Place | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const roots = rootsIn(session);
  const named = throughRoots(absolute(asked, session.cwd), session, roots);
  // Looked at first: where an unreadable path leads is not the hook's to find out.
  if (!permits(granted, right, slashed(named), roots)) return undefined;
  const real = realPlace(named, !link);
  if (real === undefined || isSpecial(real) || !permits(granted, right, slashed(real), roots)) return undefined;
  return { asked, real };
}

/** The session's own folder may be named by a path with links in it. */
function throughRoots(path: string, session: Session, roots: Roots): string {
  for (const [folder, real] of [
    [session.cwd, roots.$CWD],
    [homedir(), roots.$HOME],
    [tmpdir(), roots.$TMP],
  ] as [string, string][]) {
    if (path === folder) return real;
    if (path.startsWith(folder + sep)) return real + path.slice(folder.length);
  }
  return path;
}

/** The pattern that a person is asked to grant: for reading what is in the project all of it, else the one path. */
function patternFor(asked: string, right: FsRight, session: Session): string | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const roots = rootsIn(session);
  const path = slashed(throughRoots(absolute(asked, session.cwd), session, roots));
  if (isSpecial(path) || /[*?[\]{}()!]/.test(path)) return undefined;
  const inProject = path === roots.$CWD || path.startsWith(`${roots.$CWD}/`);
  if (right === "read" && inProject && !isRefused(path, right)) return "$CWD/**";
  for (const [name, folder] of Object.entries(roots)) {
    if (path === folder) return name;
    if (path.startsWith(`${folder}/`)) return name + path.slice(folder.length);
  }
  return path;
}

/** Node's own words, with the path as the hook gave it in the place of ours. */
function inWordsOfTheHook(error: unknown, places: readonly Place[]): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || !syscall) return error;
  const reason = /^[A-Z0-9]+: [^,]*/.exec(message)?.[0] ?? code;
  const named = places.map(({ asked }) => `'${asked}'`).join(" -> ");
  return Object.assign(new Error(`${reason}, ${syscall} ${named}`), { code });
}

const tooLarge = (bytes: number, asked: string, most = MAX_BYTES): Error =>
  Object.assign(new Error(`EFBIG: ${bytes} bytes are more than a hook handles at once (${most}), '${asked}'`), {
    code: "EFBIG",
  });

/** Text where it was asked for and fits a frame as JSON, else bytes in base64. */
function read(place: Place, [encoding, from, length]: readonly unknown[]): { text: string } | { base64: string } {
  const file = openFile(place, constants.O_RDONLY);
  try {
    const start = (from as number | undefined) ?? 0;
    const whole = Math.max(0, fstatSync(file).size - start);
    const wanted = Math.min((length as number | undefined) ?? whole, whole);
    if (wanted > MAX_BYTES) throw tooLarge(wanted, place.asked);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const count = readSync(file, bytes, filled, wanted - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    if (encoding === "utf8") {
      const text = bytes.toString("utf8", 0, filled);
      if (filled <= ALWAYS_FITS || Buffer.byteLength(JSON.stringify(text)) < MAX_ANSWER) return { text };
    }
    return { base64: bytes.toString("base64", 0, filled) };
  } finally {
    closeSync(file);
  }
}

function bytesOf(encoding: unknown, data: unknown, place: Place): Buffer {
  const bytes = Buffer.from(data as string, encoding as "utf8" | "base64");
  if (bytes.length > MAX_BYTES) throw tooLarge(bytes.length, place.asked);
  return bytes;
}

function writeAll(file: number, bytes: Buffer): void {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent);
}

/** Puts a whole file in the place of the old one, or nothing: `fill` writes to a new file in the same folder. */
function replace(place: Place, mode: number, exclusive: boolean, fill: (file: number) => void): void {
  atPlace(place, (path) => {
    const old = lstatSync(path, { throwIfNoEntry: false });
    if (old && exclusive)
      throw Object.assign(new Error("EEXIST: file already exists"), { code: "EEXIST", syscall: "open" });
    if (old?.isDirectory())
      throw Object.assign(new Error("EISDIR: illegal operation on a directory"), { code: "EISDIR", syscall: "open" });
    if (old && (!old.isFile() || old.nlink > 1))
      throw Object.assign(new Error("EINVAL: not a regular file with one name"), { code: "EINVAL", syscall: "open" });
    const draft = join(dirname(path), `.cordon-${randomBytes(8).toString("hex")}`);
    const file = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, old ? 0o600 : mode);
    try {
      fill(file);
      if (old) fchmodSync(file, old.mode & 0o777);
      renameSync(draft, path);
    } catch (error) {
      unlinkSync(draft);
      throw error;
    } finally {
      closeSync(file);
    }
  });
}

function append(place: Place, bytes: Buffer, mode: number): void {
  const file = openFile(place, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, { alone: true, mode });
  try {
    writeAll(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** What `stat` says, with times in ms. Whose files they are is not a hook's to know. */
function facts(status: Stats): Record<string, unknown> {
  const { mode, nlink, size, blksize, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = status;
  return { mode, nlink, size, blksize, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs, ino, dev, type: typeOf(status) };
}

/** Links were followed when the place was checked: one that is there now came since. */
function noLink(status: Stats, { asked }: Place): Stats {
  if (!status.isSymbolicLink()) return status;
  throw Object.assign(new Error(`ELOOP: a link came into the way, stat '${asked}'`), { code: "ELOOP" });
}

const typeOf = (status: Stats | Dirent): "file" | "folder" | "link" | "other" =>
  status.isFile() ? "file" : status.isDirectory() ? "folder" : status.isSymbolicLink() ? "link" : "other";

/** The entries of a folder, or with `may` of all those below it that may be read, without those that may not. */
async function list(place: Place, may?: (real: string) => boolean): Promise<{ name: string; type: string }[]> {
  const found: { name: string; type: string }[] = [];
  const folders = [""];
  for (let at = 0; at < folders.length; at++) {
    const prefix = folders[at] as string;
    const folder = { asked: place.asked, real: join(place.real, prefix) };
    for (const entry of entriesOf(folder)) {
      const name = prefix + entry.name;
      if (may && !may(join(place.real, name))) continue;
      if (found.length >= MAX_ENTRIES) throw tooMany(place);
      found.push({ name, type: typeOf(entry) });
      if (may && entry.isDirectory()) folders.push(`${name}/`);
    }
    if (at % FOLDERS_AT_ONCE === FOLDERS_AT_ONCE - 1) await setImmediate();
  }
  return found;
}

/** The last part makes it the folder itself that is read, which would else be reached by its name. */
const entriesOf = (folder: Place): Dirent[] =>
  atPlace({ asked: folder.asked, real: join(folder.real, ".cordon") }, (path) =>
    readdirSync(dirname(path), { withFileTypes: true }),
  );

const tooMany = ({ asked }: Place): Error =>
  Object.assign(new Error(`EFBIG: more than ${MAX_ENTRIES} entries, '${asked}'`), { code: "EFBIG" });

/** Removes a folder with all that is in it, if the grant covers each: nothing before that is known of all. */
async function removeTree(place: Place, may: May): Promise<void> {
  const inside = await list(place, () => true);
  const refused = inside.find(({ name }) => !may("write", join(place.real, name)));
  if (refused)
    throw Object.assign(new Error(`NOT_GRANTED: ${join(place.asked, refused.name)} is not the hook's to remove`), {
      code: "NOT_GRANTED",
    });
  for (const { name, type } of inside.reverse()) {
    const at = { asked: place.asked, real: join(place.real, name) };
    atPlace(at, type === "folder" ? rmdirSync : unlinkSync);
  }
  atPlace(place, rmdirSync);
}

function makeFolder(place: Place, recursive: boolean, mode: number, may: May): string | undefined {
  if (!recursive) {
    atPlace(place, (path) => mkdirSync(path, mode));
    return undefined;
  }
  const missing: string[] = [];
  for (let folder = place.real; !lstatSync(folder, { throwIfNoEntry: false }); folder = dirname(folder))
    missing.push(folder);
  const first = missing.at(-1);
  for (const folder of missing.reverse()) {
    if (!may("write", folder))
      throw Object.assign(new Error(`NOT_GRANTED: ${folder} is not the hook's to make`), { code: "NOT_GRANTED" });
    atPlace({ asked: place.asked, real: folder }, (path) => mkdirSync(path, mode));
  }
  if (first === undefined && !statSync(place.real).isDirectory())
    throw Object.assign(new Error("EEXIST: file already exists"), { code: "EEXIST", syscall: "mkdir" });
  return first;
}

async function remove(place: Place, recursive: boolean, force: boolean, may: May): Promise<void> {
  const status = atPlace(place, (path) => lstatSync(path, { throwIfNoEntry: false }));
  if (!status) {
    if (force) return;
    throw Object.assign(new Error("ENOENT: no such file or directory"), { code: "ENOENT", syscall: "rm" });
  }
  if (!status.isDirectory()) atPlace(place, unlinkSync);
  else if (recursive) await removeTree(place, may);
  else throw Object.assign(new Error("EISDIR: is a directory"), { code: "EISDIR", syscall: "rm" });
}

/** Entries of a folder that can be moved: looked at in one go, so that nothing is put there in between. */
const MAX_MOVED = 2000;

function namesBelow(place: Place): string[] {
  const found: string[] = [];
  const folders = [""];
  for (const prefix of folders) {
    for (const entry of entriesOf({ asked: place.asked, real: join(place.real, prefix) })) {
      if (found.length >= MAX_MOVED)
        throw Object.assign(new Error(`EFBIG: more than ${MAX_MOVED} entries, '${place.asked}'`), { code: "EFBIG" });
      found.push(prefix + entry.name);
      if (entry.isDirectory()) folders.push(`${prefix}${entry.name}/`);
    }
  }
  return found;
}

/** Moves a file or folder. What may not be read where it is may not be moved to where it may. */
function move(from: Place, to: Place, may: May): void {
  const status = atPlace(from, (path) => lstatSync(path));
  const parts = status.isDirectory() ? ["", ...namesBelow(from)] : [""];
  for (const part of parts) {
    const [here, there] = [join(from.real, part), join(to.real, part)];
    if (!may("write", here) || !may("write", there) || (may("read", there) && !may("read", here)))
      throw Object.assign(new Error(`NOT_GRANTED: ${join(from.asked, part)} is not the hook's to move there`), {
        code: "NOT_GRANTED",
      });
  }
  atPlace(from, (old) => atPlace(to, (next) => renameSync(old, next)));
}

function copy(from: Place, to: Place, exclusive: boolean): void {
  const source = openFile(from, constants.O_RDONLY);
  try {
    const status = fstatSync(source);
    if (status.size > COPY_LIMIT) throw tooLarge(status.size, from.asked, COPY_LIMIT);
    replace(to, status.mode & 0o777, exclusive, (file) => {
      const bytes = Buffer.allocUnsafe(256 * 1024);
      for (let at = 0; at < status.size; ) {
        const count = readSync(source, bytes, 0, Math.min(bytes.length, status.size - at), at);
        if (count === 0) return;
        writeAll(file, bytes.subarray(0, count));
        at += count;
      }
    });
  } finally {
    closeSync(source);
  }
}

/** Entries of a watched folder that are looked at one by one. */
const MAX_WATCHED = 200;

/** What makes a watched place another than it was: `{ "": facts }`, and for a folder the same of each entry by name. */
function signature(place: Place, may: May): string {
  const all: Record<string, string> = { "": atPlace(place, lookAt) };
  if (all[""]?.startsWith("folder")) {
    const inside = { asked: place.asked, real: join(place.real, ".cordon") };
    atPlace(inside, (path) => {
      const folder = dirname(path);
      const names = readdirSync(folder).filter((name) => may("watch", join(place.real, name)));
      for (const name of names.slice(0, MAX_WATCHED)) all[name] = lookAt(join(folder, name));
    });
  }
  return JSON.stringify(all);
}

function lookAt(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status ? `${typeOf(status)} ${status.ino} ${status.size} ${status.mtimeMs} ${status.ctimeMs}` : "";
}

/** Resolves with the {@link signature} of a place once it is another than it was. */
async function changed(place: Place, before: string, may: May, signal: AbortSignal): Promise<string> {
  for (;;) {
    const started = performance.now();
    const now = signature(place, may);
    if (now !== before) return now;
    const cost = performance.now() - started;
    await delay(Math.max(LOOK_EVERY_MS, cost * LOOK_PAUSE), undefined, { signal, ref: false });
  }
}

const OPERATIONS: Record<string, Operation> = {
  read: {
    request: Type.Union([Type.Tuple([path, encoding]), Type.Tuple([path, encoding, size, size])]),
    rights: ["read"],
    perform: ([place], rest) => read(place as Place, rest),
  },
  write: {
    request: Type.Tuple([path, encoding, data, Type.Boolean(), mode]),
    rights: ["write"],
    perform: ([place], [encoding, data, exclusive, mode]) => {
      const bytes = bytesOf(encoding, data, place as Place);
      replace(place as Place, mode as number, exclusive as boolean, (file) => writeAll(file, bytes));
    },
  },
  append: {
    request: Type.Tuple([path, encoding, data, mode]),
    rights: ["write"],
    perform: ([place], [encoding, data, mode]) =>
      append(place as Place, bytesOf(encoding, data, place as Place), mode as number),
  },
  stat: {
    request: Type.Tuple([path]),
    rights: ["read"],
    perform: ([place]) => atPlace(place as Place, (path) => facts(noLink(lstatSync(path), place as Place))),
  },
  lstat: {
    request: Type.Tuple([path]),
    rights: ["read"],
    link: true,
    perform: ([place]) => atPlace(place as Place, (path) => facts(lstatSync(path))),
  },
  writable: {
    request: Type.Tuple([path]),
    rights: ["write"],
    perform: ([place]) => atPlace(place as Place, (path) => accessSync(path, constants.W_OK)),
  },
  look: {
    request: Type.Tuple([path]),
    rights: ["watch"],
    perform: ([place], _rest, may) => signature(place as Place, may),
  },
  changed: {
    request: Type.Tuple([path, data]),
    rights: ["watch"],
    later: true,
    perform: ([place], [before], may, signal) => changed(place as Place, before as string, may, signal),
  },
  realpath: {
    request: Type.Tuple([path]),
    rights: ["read"],
    perform: ([place]) => {
      atPlace(place as Place, lstatSync);
      return (place as Place).real;
    },
  },
  readdir: {
    request: Type.Tuple([path, Type.Boolean()]),
    rights: ["read"],
    perform: ([place], [recursive], may) =>
      list(place as Place, recursive === true ? (real) => may("read", real) : undefined),
  },
  mkdir: {
    request: Type.Tuple([path, Type.Boolean(), mode]),
    rights: ["write"],
    perform: ([place], [recursive, mode], may) => makeFolder(place as Place, recursive as boolean, mode as number, may),
  },
  rmdir: {
    request: Type.Tuple([path]),
    rights: ["write"],
    link: true,
    perform: ([place]) => atPlace(place as Place, rmdirSync),
  },
  unlink: {
    request: Type.Tuple([path]),
    rights: ["write"],
    link: true,
    perform: ([place]) => atPlace(place as Place, unlinkSync),
  },
  rm: {
    request: Type.Tuple([path, Type.Boolean(), Type.Boolean()]),
    rights: ["write"],
    link: true,
    perform: ([place], [recursive, force], may) => remove(place as Place, recursive as boolean, force as boolean, may),
  },
  rename: {
    request: Type.Tuple([path, path]),
    rights: ["write", "write"],
    link: true,
    perform: ([from, to], _rest, may) => move(from as Place, to as Place, may),
  },
  copy: {
    request: Type.Tuple([path, path, Type.Boolean()]),
    rights: ["read", "write"],
    perform: ([from, to], [exclusive]) => copy(from as Place, to as Place, exclusive as boolean),
  },
};

/** Every call of the file power by its flat name. */
export const fs: Record<string, Capability<FsGrant, Request>> = Object.fromEntries(
  Object.entries(OPERATIONS).map(([verb, parts]) => [`fs.${verb}`, operation(verb, parts)]),
);
