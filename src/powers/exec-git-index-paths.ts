import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { Entry, StoredChanges } from "./exec-git-stored.ts";
import { MAX_PARTS } from "./fs-path.ts";
import { quoted } from "./quoted.ts";

/** An index before its hash: a mark, a version, and how many entries follow. */
const HEADER = 12;
/** Of an entry before its name, without the hash of its object. */
const FIXED = 42;
const MODE_AT = 24;
const NAME_MASK = 0xfff;
const STAGE = 0x3000;
const EXTENDED = 0x4000;
/** Of an extended entry's further flags: it is to be added later, and no commit has it. */
const LATER = 0x2000;

const FILES = new Set([0o100644, 0o100755]);
const LINK = 0o120000;

/** Parts after the entries that git does well without: by others it would read entries from elsewhere, or from another file. */
const SPARED_PARTS = new Set(["TREE", "REUC", "UNTR", "FSMN"]);

/** With threads, git looks at this place for where the entries end, whatever lies there: before the hash, with hashes of any length. */
const ENDS_AT = [32, 44];
const END_OF_ENTRIES = "EOIE";

/** Longest name, in bytes: no system opens a longer path. Each name of version 4 may repeat the one before for three bytes of file. */
const MAX_NAME = 4096;
/** Bytes of all names together: those of half a million files. */
const MAX_NAMES = 64_000_000;

/** Entries that are looked at, bytes of their names, and bytes of which the hash is made, before others get their turn. */
const PIECE = 500;
const PIECE_BYTES = 16 * 1024;
const HASHED_BYTES = 1024 * 1024;

/** git reads and writes what an index names as it stands there, and looks at no name again. Windows knows `.git` by more names. */
const LEADS_OUT = /(^|\/)(\.{0,2}|\.git[ .]*|git~1)(\/|$)|[\\:\0]/i;
/** Characters that macOS does not see in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

const HASHES: ReadonlyMap<number, string> = new Map([
  [20, "sha1"],
  [32, "sha256"],
]);

/**
 * What git may be given of an index that a hook could have written: its entries alone. The parts after them can lead git to
 * other entries, and name files of their own. Rejects with why it must not be given any of it.
 *
 * @param may whether git may read what is at a path of the work tree, or write it
 * @param links whether entries may be links: git makes them in the work tree as they say
 * @param hashBytes of the repository's hashes
 * @param changes looks at each entry, where git stores them
 */
export async function entriesAlone(
  bytes: Buffer,
  {
    may,
    links,
    hashBytes,
    changes,
  }: { may: (path: string) => boolean; links: boolean; hashBytes: number; changes?: StoredChanges | undefined },
): Promise<Buffer> {
  let [looked, characters, all] = [0, 0, 0];
  let size = HEADER;
  for (const { entry, mode, end } of entriesOf(bytes, hashBytes)) {
    const { path, isLink } = entry;
    all += path.length;
    if (all > MAX_NAMES) throw new Error(`its names have more than ${MAX_NAMES} characters in all`);
    if (path.split("/").length > MAX_PARTS) throw new Error(`it names ${quoted(path)}, which lies too deep`);
    if (LEADS_OUT.test(path.replace(UNSEEN, "")))
      throw new Error(`it names ${quoted(path)}, which is no file of the work tree`);
    if (!FILES.has(mode) && !(links && isLink))
      throw new Error(`it names ${quoted(path)}, which is ${isLink ? "a link" : "no file"}`);
    if (!may(path)) throw new Error(`it names ${quoted(path)}, which no grant of its folder covers`);
    changes?.look(entry);
    size = end;
    characters += path.length;
    if (++looked < PIECE && characters < PIECE_BYTES) continue;
    [looked, characters] = [0, 0];
    await turn();
  }
  if (ENDS_AT.some((before) => bytes.toString("latin1", size - before, size - before + 4) === END_OF_ENTRIES))
    throw new Error("its last entry says where the entries end");
  const entries = bytes.subarray(0, size);
  return Buffer.concat([entries, await hashOf(entries, HASHES.get(hashBytes) ?? "")]);
}

async function hashOf(bytes: Buffer, algorithm: string): Promise<Buffer> {
  const hash = createHash(algorithm);
  for (let at = 0; at < bytes.length; at += HASHED_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_BYTES));
    await turn();
  }
  return hash.digest();
}

/** The entries as git reads them, each with where it ends. Throws where git could read others. */
function* entriesOf(bytes: Buffer, hashBytes: number): Generator<{ entry: Entry; mode: number; end: number }> {
  const end = bytes.length - hashBytes;
  if (end < HEADER || bytes.toString("latin1", 0, 4) !== "DIRC") throw new Error("it is no index");
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new Error(`it is of the unknown version ${version}`);
  let at = HEADER;
  let before: Buffer = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + FIXED + hashBytes - 2;
    if (flagsAt + 4 > end) throw new Error("it ends in the middle of an entry");
    const flags = bytes.readUInt16BE(flagsAt);
    if (version === 2 && flags & EXTENDED) throw new Error("an entry is of a later version");
    const nameAt = flagsAt + (flags & EXTENDED ? 4 : 2);
    const name = version === 4 ? prefixed(bytes, nameAt, end, before) : plain(bytes, nameAt, end);
    const stated = flags & NAME_MASK;
    if (name.value.length === 0 || stated !== Math.min(name.value.length, NAME_MASK))
      throw new Error("a name is not as long as it says");
    const mode = bytes.readUInt32BE(at + MODE_AT);
    const hash = bytes.toString("hex", flagsAt - hashBytes, flagsAt);
    const isLater = flags & EXTENDED && bytes.readUInt16BE(flagsAt + 2) & LATER;
    const state = `${mode.toString(8)} ${hash}${flags & STAGE ? " in conflict" : ""}${isLater ? " later" : ""}`;
    before = name.value;
    // An entry has one to eight zeros at its end, up to a multiple of eight bytes; those of version 4 have one.
    at = version === 4 ? name.end : at + ((nameAt - at + name.value.length + 8) & ~7);
    if (at > end) throw new Error("it ends in the middle of an entry");
    yield { entry: { path: name.value.toString("utf8"), state, isLink: mode === LINK }, mode, end: at };
  }
  // Each is there once.
  const spared = new Set(SPARED_PARTS);
  for (; at < end; at += 8 + bytes.readUInt32BE(at + 4)) {
    const part = bytes.toString("latin1", at, at + 4);
    if (at + 8 > end || !spared.delete(part)) throw new Error(`it has a part ${quoted(part)}`);
  }
  if (at !== end) throw new Error("its last part does not end with it");
}

/** `end` is behind the zero. */
interface Name {
  readonly value: Buffer;
  readonly end: number;
}

function plain(bytes: Buffer, at: number, end: number): Name {
  const zero = bytes.indexOf(0, at);
  if (zero < 0 || zero >= end) throw new Error("a name has no end");
  refuseLong(zero - at);
  return { value: bytes.subarray(at, zero), end: zero + 1 };
}

function refuseLong(bytes: number): void {
  if (bytes > MAX_NAME) throw new Error(`a name has more than ${MAX_NAME} bytes`);
}

/** How much of the name before is dropped, in git's numbers of seven bits a byte, and what follows the rest of it. */
function prefixed(bytes: Buffer, start: number, end: number, before: Buffer): Name {
  let at = start;
  let dropped = (bytes[at] as number) & 127;
  while ((bytes[at++] as number) & 128) {
    if (at >= end || at - start > 4) throw new Error("a name has no beginning");
    dropped = (dropped + 1) * 128 + ((bytes[at] as number) & 127);
  }
  if (dropped > before.length) throw new Error("a name begins with more than there was");
  const rest = plain(bytes, at, end);
  refuseLong(before.length - dropped + rest.value.length);
  return { value: Buffer.concat([before.subarray(0, before.length - dropped), rest.value]), end: rest.end };
}
