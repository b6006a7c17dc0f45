import { accessSync, constants, fchmodSync, futimesSync, lstatSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { slashed } from "../disk/paths.ts";
import type { AnyCapability } from "./capability.ts";
import { isFolderAbove, takesLinks } from "./fs-check.ts";
import { facts, noLink } from "./fs-facts.ts";
import { append, contentOf, copy, read, replace, writeInParts } from "./fs-files.ts";
import { list, makeFolder, move, refuseHeld, remove, unlink } from "./fs-folders.ts";
import { isOrdinary } from "./fs-grant.ts";
import { giveName, isPlain, leadsWithin, makeLink, readLink } from "./fs-links.ts";
import { type FsName, type Operation, operation, type Verb } from "./fs-operation.ts";
import { absolute, atPath, faultOfPath, withEntry } from "./fs-path.ts";
import { exactPattern, madeFolder, missingAbove, patternFor, withContents } from "./fs-proposal.ts";
import { throughRoots } from "./fs-roots.ts";
import { changed, signature } from "./fs-watch.ts";

const OPERATIONS: { readonly [Of in Verb]: Operation<Of> } = {
  read: {
    rights: ["read"],
    perform: ([checked], rest) => read(checked, rest),
  },
  write: {
    rights: ["write"],
    // What must not be there yet: a link to nothing is there.
    link: ([, , exclusive]) => exclusive === true,
    perform: ([checked], [encoding, data, exclusive, mode], _may, { wrote }) => {
      const content = contentOf(encoding, data, checked);
      return replace(checked, mode, exclusive, (file) => writeInParts(file, content), wrote);
    },
  },
  append: {
    rights: ["write"],
    perform: ([checked], [encoding, data, mode]) => append(checked, contentOf(encoding, data, checked), mode),
  },
  stat: {
    rights: ["read"],
    probes: true,
    perform: ([checked]) => atPath(checked, (path) => facts(noLink(lstatSync(path), checked))),
  },
  lstat: {
    rights: ["read"],
    probes: true,
    link: true,
    perform: ([checked]) => atPath(checked, (path) => facts(lstatSync(path))),
  },
  writable: {
    rights: ["write"],
    perform: ([checked]) => atPath(checked, (path) => accessSync(path, constants.W_OK)),
  },
  look: {
    rights: ["watch"],
    perform: ([checked], _rest, may) => signature(checked, may),
  },
  changed: {
    rights: ["watch"],
    perform: ([checked], [before], may) => changed(checked, before, may),
  },
  realpath: {
    rights: ["read"],
    perform: ([checked]) => {
      atPath(checked, lstatSync);
      return checked.real;
    },
  },
  readdir: {
    rights: ["read"],
    reaches: true,
    folders: true,
    besides: (pattern) => withContents(pattern, "read"),
    perform: ([checked], [recursive], may) =>
      list(checked, recursive === true ? (real) => may("read", real) : undefined),
  },
  mkdir: {
    rights: ["write"],
    reaches: true,
    link: ([recursive]) => recursive !== true,
    folders: true,
    besides: (pattern, { paths: [asked], rest: [recursive] }, session, isBlind) =>
      recursive === true && !isBlind
        ? [...missingAbove(asked, session), ...withContents(pattern, "write")]
        : withContents(pattern, "write"),
    // Programs make sure of a file's folder before they write it. No folder was made.
    idle: ({ paths: [asked], rest: [recursive] }, { write = [] }, session) =>
      recursive === true && isFolderAbove(asked, write, session) ? 0 : undefined,
    perform: ([checked], [recursive, mode], may) => makeFolder(checked, recursive, mode, may),
  },
  mkdtemp: {
    rights: ["write"],
    link: true,
    folders: true,
    besides: (pattern, { paths: [asked] }, session, isBlind) =>
      isBlind ? [pattern, `${pattern}/**`] : madeFolder(pattern, asked, session),
    perform: ([checked], _rest, may) => void makeFolder(checked, false, 0o700, may),
  },
  chmod: {
    rights: ["write"],
    folders: true,
    perform: ([checked], [mode]) => withEntry(checked, (entry) => fchmodSync(entry, mode)),
  },
  utimes: {
    rights: ["write"],
    folders: true,
    perform: ([checked], [accessed, modified]) =>
      withEntry(checked, (entry) => futimesSync(entry, accessed / 1000, modified / 1000)),
  },
  rmdir: {
    rights: ["write"],
    folders: true,
    link: true,
    perform: ([checked]) => atPath(checked, rmdirSync),
  },
  unlink: {
    rights: ["write"],
    link: true,
    perform: ([checked]) => unlink(checked),
  },
  rm: {
    rights: ["write"],
    reaches: true,
    besides: (pattern, { paths: [asked], rest: [recursive] }, session, isBlind) =>
      recursive === true
        ? [pattern, `${pattern}/**`]
        : [(isBlind ? undefined : patternFor(asked, "write", session)) ?? pattern],
    link: true,
    perform: ([checked], [recursive, force], may) => remove(checked, recursive, force, may),
  },
  readlink: {
    rights: ["read"],
    link: true,
    perform: ([checked]) => readLink(checked),
  },
  symlink: {
    rights: ["write"],
    link: true,
    // What no grant allows has an error of its own.
    leads: ([checked], [text], may) =>
      !isPlain(text) || !may("link", checked.real) || leadsWithin(dirname(checked.real), text, may),
    besides: (pattern, { paths: [asked], rest: [text] }, session, isBlind) => {
      const named = absolute(asked, session.cwd);
      const target = absolute(text, dirname(named));
      const found = faultOfPath(text) === undefined ? exactPattern(target, session) : undefined;
      const place = throughRoots(named, session);
      const isTaken = isBlind ? isOrdinary(slashed(place)) : takesLinks(place, session);
      if (found === undefined || !isPlain(text) || !isTaken) return undefined;
      const isFolder = !isBlind && statSync(target, { throwIfNoEntry: false })?.isDirectory();
      return isFolder ? [pattern, found, `${found}/**`] : [pattern, found];
    },
    perform: ([checked], [text], may, { isHeld }) => {
      refuseHeld(isHeld, checked);
      makeLink(checked, text, may);
    },
  },
  link: {
    rights: ["write", "write"],
    link: true,
    perform: ([from, to], _rest, may) => giveName(from, to, may),
  },
  rename: {
    rights: ["write", "write"],
    reaches: true,
    folders: true,
    link: true,
    perform: ([from, to], _rest, may, { isHeld }) => move(from, to, may, isHeld),
  },
  copy: {
    rights: ["read", "write"],
    link: ([exclusive], index) => index === 1 && exclusive === true,
    perform: ([from, to], [exclusive]) => copy(from, to, exclusive),
  },
};

/** Every call of the file power by its flat name. */
export const fs: Record<FsName, AnyCapability> = Object.assign(
  {},
  ...Object.entries(OPERATIONS).map(([verb, parts]) => operation(verb as Verb, parts as Operation<Verb>)),
);
