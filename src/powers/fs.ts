import { accessSync, constants, lstatSync, rmdirSync, unlinkSync } from "node:fs";
import type { OperationName } from "../../sandbox/wire/operations.ts";
import { type AnyCapability, sealed } from "./capability.ts";
import { facts, noLink } from "./fs-facts.ts";
import { append, bytesOf, copy, read, replace, writeAll } from "./fs-files.ts";
import { list, makeFolder, move, remove } from "./fs-folders.ts";
import type { May } from "./fs-grant.ts";
import { type FsGrant, type FsRight, permits, slashed } from "./fs-grant.ts";
import { absolute, atPlace, faultOfPath, isSpecial, type Place, realPlace } from "./fs-place.ts";
import { ANY_SUFFIX, askedFor, missingAbove, patternFor } from "./fs-proposal.ts";
import { rootsIn, throughRoots } from "./fs-roots.ts";
import { changed, signature } from "./fs-watch.ts";
import type { Session } from "./lent-session.ts";
import { quoted } from "./quoted.ts";

const PER_MINUTE = 6000;

/** What a call asks for: paths, each under the right it needs, and the other arguments. */
interface Request {
  paths: readonly string[];
  rest: readonly unknown[];
}

interface Operation {
  /** The right that each leading argument, a path, needs. */
  rights: readonly FsRight[];
  /** A link itself is meant, not what it leads to. */
  link?: boolean | ((rest: readonly unknown[], index: number) => boolean);
  /** It is about folders, whose paths may end in a separator. */
  folders?: boolean;
  /** All that a person is asked to grant for it, where one pattern for each path would not do. */
  besides?(pattern: string, asked: Request, session: Session): string[];
  perform(places: readonly Place[], rest: readonly unknown[], may: May, signal: AbortSignal): unknown;
}

/** Leave for one call: where its paths lead, and what was granted for what it finds there. */
class FsPermit {
  readonly places: readonly Place[];
  readonly rest: readonly unknown[];
  readonly granted: FsGrant;

  private constructor(places: readonly Place[], rest: readonly unknown[], granted: FsGrant) {
    this.places = places;
    this.rest = rest;
    this.granted = granted;
  }

  static check(
    { paths, rest }: Request,
    granted: FsGrant,
    place: (path: string, index: number) => Place | undefined,
  ): FsPermit | undefined {
    const places = paths.map(place);
    return places.every((one) => one !== undefined) ? new FsPermit(places, rest, granted) : undefined;
  }
}

type FsName = Extract<OperationName, `fs.${string}`>;
type Verb = FsName extends `fs.${infer Verb}` ? Verb : never;

function operation(
  verb: string,
  { rights, link = false, folders = false, besides, perform }: Operation,
): AnyCapability {
  return sealed<FsGrant, Request, FsPermit, FsName>({
    capability: "fs",
    read: (args) => ({ paths: args.slice(0, rights.length) as string[], rest: args.slice(rights.length) }),
    check: (asked, grant, { session }) =>
      FsPermit.check(asked, grant ?? {}, (path, index) => {
        const right = rights[index] as FsRight;
        const isLink = typeof link === "function" ? link(asked.rest, index) : link;
        return placeOf(path, grant?.[right] ?? [], right, isLink, session);
      }),
    async perform({ places, rest, granted }, { session, signal }) {
      const known = new Map<string, boolean>();
      const may: May = (right, real) => isGranted(granted[right] ?? [], right, real, session, known);
      try {
        for (const place of folders ? [] : places) noFolder(place, rights[0] as FsRight);
        return (await perform(places, rest, may, signal)) ?? null;
      } catch (error) {
        throw inWordsOfTheHook(error, places);
      }
    },
    describe: ({ paths }) => `${rights[0] === "watch" ? "watch" : verb} ${paths.map(quoted).join(" and ")}`,
    propose(asked, { session, hook }) {
      const proposal: FsGrant = {};
      for (const [index, path] of asked.paths.entries()) {
        const right = rights[index] as FsRight;
        const pattern = patternFor(path, right, session);
        if (pattern === undefined) return undefined;
        const patterns = besides?.(pattern, asked, session) ?? [
          askedFor(path, right, hook.manifest, session) ?? pattern,
        ];
        proposal[right] = [...new Set([...(proposal[right] ?? []), ...patterns])];
      }
      return proposal;
    },
    waits: false,
    perMinute: () => PER_MINUTE,
  });
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
  const named = throughRoots(absolute(asked, session.cwd), session);
  // Looked at first: where an unreadable path leads is not the hook's to find out.
  if (!permits(granted, right, slashed(named), roots)) return undefined;
  const real = realPlace(named, !link);
  if (real === undefined || isSpecial(real) || !isGranted(granted, right, real, session)) return undefined;
  return { asked, real };
}

/** What decides about hooks is to be named exactly for writing, as files of code are. */
function isGranted(
  granted: readonly string[],
  right: FsRight,
  real: string,
  session: Session,
  known?: Map<string, boolean>,
): boolean {
  const [path, roots] = [slashed(real), rootsIn(session)];
  if (!permits(granted, right, path, roots)) return false;
  return right !== "write" || !session.own.holds(real, known) || permits(granted, right, path, roots, true);
}

/** A path that ends in a separator names a folder. */
function noFolder(place: Place, right: FsRight): void {
  if (!/[\\/]$/.test(place.asked)) return;
  const status = atPlace(place, (path) => lstatSync(path, { throwIfNoEntry: false }));
  if (status?.isDirectory() || (!status && right !== "write")) return;
  const [code, reason] = status ? ["ENOTDIR", "not a directory"] : ["EISDIR", "illegal operation on a directory"];
  throw Object.assign(new Error(`${code}: ${reason}`), { code, syscall: "open" });
}

/** Node's own words, with the path as the hook gave it in the place of ours. */
function inWordsOfTheHook(error: unknown, places: readonly Place[]): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || !syscall) return error;
  const reason = /^[A-Z0-9]+: [^,]*/.exec(message)?.[0] ?? code;
  const named = places.map(({ asked }) => `'${asked}'`).join(" -> ");
  return Object.assign(new Error(`${reason}, ${syscall} ${named}`), { code });
}

const OPERATIONS: Record<Verb, Operation> = {
  read: {
    rights: ["read"],
    perform: ([place], rest) => read(place as Place, rest),
  },
  write: {
    rights: ["write"],
    // What must not be there yet: a link to nothing is there.
    link: ([, , exclusive]) => exclusive === true,
    perform: ([place], [encoding, data, exclusive, mode]) => {
      const bytes = bytesOf(encoding, data, place as Place);
      replace(place as Place, mode as number, exclusive as boolean, (file) => writeAll(file, bytes));
    },
  },
  append: {
    rights: ["write"],
    perform: ([place], [encoding, data, mode]) =>
      append(place as Place, bytesOf(encoding, data, place as Place), mode as number),
  },
  stat: {
    rights: ["read"],
    perform: ([place]) => atPlace(place as Place, (path) => facts(noLink(lstatSync(path), place as Place))),
  },
  lstat: {
    rights: ["read"],
    link: true,
    perform: ([place]) => atPlace(place as Place, (path) => facts(lstatSync(path))),
  },
  writable: {
    rights: ["write"],
    perform: ([place]) => atPlace(place as Place, (path) => accessSync(path, constants.W_OK)),
  },
  look: {
    rights: ["watch"],
    perform: ([place], _rest, may) => signature(place as Place, may),
  },
  changed: {
    rights: ["watch"],
    perform: ([place], [before], may, signal) => changed(place as Place, before as string, may, signal),
  },
  realpath: {
    rights: ["read"],
    perform: ([place]) => {
      atPlace(place as Place, lstatSync);
      return (place as Place).real;
    },
  },
  readdir: {
    rights: ["read"],
    folders: true,
    perform: ([place], [recursive], may) =>
      list(place as Place, recursive === true ? (real) => may("read", real) : undefined),
  },
  mkdir: {
    rights: ["write"],
    link: ([recursive]) => recursive !== true,
    folders: true,
    besides: (pattern, { paths: [asked = ""], rest: [recursive] }, session) =>
      recursive === true ? [...missingAbove(asked, session), pattern] : [pattern],
    perform: ([place], [recursive, mode], may) => makeFolder(place as Place, recursive as boolean, mode as number, may),
  },
  mkdtemp: {
    rights: ["write"],
    link: true,
    folders: true,
    // The next one has another name, and what is put into it is the hook's own.
    besides: (pattern) => [pattern.slice(0, -6) + ANY_SUFFIX, `${pattern.slice(0, -6)}${ANY_SUFFIX}/**`],
    perform: ([place], _rest, may) => void makeFolder(place as Place, false, 0o700, may),
  },
  rmdir: {
    rights: ["write"],
    folders: true,
    link: true,
    perform: ([place]) => atPlace(place as Place, rmdirSync),
  },
  unlink: {
    rights: ["write"],
    link: true,
    perform: ([place]) => atPlace(place as Place, unlinkSync),
  },
  rm: {
    rights: ["write"],
    besides: (pattern, { rest: [recursive] }) => (recursive === true ? [pattern, `${pattern}/**`] : [pattern]),
    link: true,
    perform: ([place], [recursive, force], may) => remove(place as Place, recursive as boolean, force as boolean, may),
  },
  rename: {
    rights: ["write", "write"],
    folders: true,
    link: true,
    perform: ([from, to], _rest, may) => move(from as Place, to as Place, may),
  },
  copy: {
    rights: ["read", "write"],
    link: ([exclusive], index) => index === 1 && exclusive === true,
    perform: ([from, to], [exclusive]) => copy(from as Place, to as Place, exclusive as boolean),
  },
};

/** Every call of the file power by its flat name. */
export const fs = Object.fromEntries(
  Object.entries(OPERATIONS).map(([verb, parts]) => [`fs.${verb}`, operation(verb, parts)]),
) as Record<FsName, AnyCapability>;
