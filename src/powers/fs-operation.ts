import { type BigIntStats, lstatSync } from "node:fs";
import { NOWHERE } from "../../sandbox/wire/messages.ts";
import type { ArgumentsOf, OperationName } from "../../sandbox/wire/operations.ts";
import { type AnyCapability, type Circumstances, sealed } from "./capability.ts";
import { holdsPaths } from "./exec-running.ts";
import { isCaseProbe } from "./fs-case-probe.ts";
import { checkedPath, leadsTo, mayUnder } from "./fs-check.ts";
import { fsError } from "./fs-error.ts";
import type { Wrote } from "./fs-files.ts";
import type { FsGrant, May } from "./fs-grant.ts";
import { asLeft, keepOwn, leave } from "./fs-own-work.ts";
import { absolute, atPath, type CheckedPath } from "./fs-path.ts";
import { askedFor, exactPattern, patternFor } from "./fs-proposal.ts";
import type { FsRight } from "./fs-refused-names.ts";
import { throughRoots } from "./fs-roots.ts";
import { inTurn } from "./fs-work.ts";
import type { Session } from "./lent-session.ts";
import { MAX_QUOTED, quoted } from "./quoted.ts";

const PER_MINUTE = 6000;
/** Characters of one hook's requests that wait for their turn: what is to be written is part of them. */
const MOST_WAITING = 64_000_000;

/** Calls of the file power. */
export type FsName = Extract<OperationName, `fs.${string}`>;
/** Their names without `fs.`. */
export type Verb = FsName extends `fs.${infer Name}` ? Name : never;

/** These leave what is in a file as it is. */
const KEEPS: ReadonlySet<Verb> = new Set(["chmod", "rename"]);

/** Operations from one path to another. All others are about one path. */
type Moving = "copy" | "link" | "rename";
type PathsOf<Of extends Verb, Path> = Of extends Moving ? readonly [from: Path, to: Path] : readonly [path: Path];
type RestOf<Of extends Verb> =
  ArgumentsOf<`fs.${Of}`> extends readonly [...PathsOf<Of, string>, ...infer Rest] ? Rest : never;

/** What a call asks for: paths, each under the right it needs, and the other arguments. */
interface Request<Of extends Verb> {
  paths: PathsOf<Of, string>;
  rest: RestOf<Of>;
}

/** What one call of the file power needs and does. */
export interface Operation<Of extends Verb> {
  /** The right that each path needs. */
  rights: PathsOf<Of, FsRight>;
  /** A link itself is meant, not what it leads to. */
  link?: boolean | ((rest: RestOf<Of>, index: number) => boolean);
  /** It is about folders, whose paths may end in a separator. */
  folders?: boolean;
  /** It goes on to what lies in a folder, or above it. */
  reaches?: boolean;
  /** Programs look by it whether letters have a case: that is answered without the file system. */
  probes?: boolean;
  /** Its answer where there is nothing to do, and the hook may know that by what it was granted; `undefined` for anything else. */
  idle?(asked: Request<Of>, granted: FsGrant, session: Session): unknown;
  /** A condition on what it would lead to, besides the rights to its paths. It never throws. */
  leads?(paths: PathsOf<Of, CheckedPath>, rest: RestOf<Of>, may: May): boolean;
  /**
   * All that a person is asked to grant for it, where one pattern for each path would not do. `isBlind`: as if nothing were on the
   * disk.
   */
  besides?(pattern: string, asked: Request<Of>, session: Session, isBlind: boolean): string[] | undefined;
  /** Its answer, or work in pieces that ends with it. */
  perform(paths: PathsOf<Of, CheckedPath>, rest: RestOf<Of>, may: May, hook: OfHook): unknown;
}

/** What is known of a hook beside its grants. `isHeld`: as of {@link holdsPaths}. `wrote`: as of {@link leave}. */
interface OfHook {
  readonly isHeld: () => boolean;
  readonly wrote: Wrote;
}

/** What was checked: where the paths lead, and what was granted for what is found there. */
interface Checked<Of extends Verb> {
  paths: PathsOf<Of, CheckedPath>;
  rest: RestOf<Of>;
  granted: FsGrant;
  /** Answered without the file system: what is not there, or what there is nothing to do for. */
  without?: { readonly isAbsent: true } | { readonly answer: unknown };
}

/** The capability of an operation, by its name on the wire. */
export function operation<Of extends Verb>(
  verb: Of,
  { rights, link = false, folders = false, reaches, leads, probes = false, idle, besides, perform }: Operation<Of>,
): Record<`fs.${Of}`, AnyCapability> {
  const isLink = (rest: RestOf<Of>, index: number): boolean => (typeof link === "function" ? link(rest, index) : link);
  const proposed = (asked: Request<Of>, isBlind: boolean, { session, hook }: Circumstances): FsGrant | undefined => {
    const proposal: FsGrant = {};
    for (const [index, path] of asked.paths.entries()) {
      const right = rights[index] as FsRight;
      const pattern = besides || isBlind ? exactPattern(path, session) : patternFor(path, right, session);
      if (pattern === undefined) return undefined;
      const patterns = besides
        ? besides(pattern, asked, session, isBlind)
        : [askedFor(path, right, hook.manifest, session) ?? pattern];
      if (!patterns) return undefined;
      proposal[right] = [...new Set([...(proposal[right] ?? []), ...patterns])];
    }
    return proposal;
  };
  return sealed<`fs.${Of}`, FsGrant, Request<Of>, Checked<Of>>(`fs.${verb}`, {
    // Where the arguments of an operation are parted, after the check of their shapes.
    read: (args: readonly unknown[]) => ({
      paths: args.slice(0, rights.length) as readonly unknown[] as PathsOf<Of, string>,
      rest: args.slice(rights.length) as RestOf<Of>,
    }),
    check({ paths, rest }, granted = {}, { session, hook }) {
      const checked = paths.map((path, index) => {
        const right = rights[index] as FsRight;
        return checkedPath(path, granted[right] ?? [], right, isLink(rest, index), session);
      });
      if (!checked.every((one) => one !== undefined)) {
        const [asked = ""] = paths;
        const answer = idle?.({ paths, rest }, granted, session);
        const isAbsent = probes && isCaseProbe(asked, hook.root);
        if (!isAbsent && answer === undefined) return undefined;
        const real = [{ asked, real: asked }] as readonly CheckedPath[] as PathsOf<Of, CheckedPath>;
        return { paths: real, rest, granted, without: isAbsent ? { isAbsent } : { answer } };
      }
      const found = checked as readonly CheckedPath[] as PathsOf<Of, CheckedPath>;
      return leads && !leads(found, rest, mayUnder(granted, session)) ? undefined : { paths: found, rest, granted };
    },
    async perform({ checked: { paths, rest, granted, without } }, { session, signal, hook, blocks }) {
      if (without && "answer" in without) return without.answer;
      if (without) throw inWordsOfTheHook(fsError("ENOENT", "no such file or directory", verb), paths);
      const under = mayUnder(granted, session, hook.grant?.capabilities, new Map());
      const may: May = (right, real) => under(right, real) || (right === "show" && asLeft(hook, real) !== undefined);
      let own: BigIntStats | undefined;
      const wrote: Wrote = (written, now) => leave(hook, written, now);
      try {
        const act = (): unknown => {
          for (const checked of folders ? [] : paths) noFolder(checked, rights[0] as FsRight);
          if (KEEPS.has(verb)) own = asLeft(hook, paths[0].real);
          return perform(paths, rest, may, { isHeld: () => holdsPaths(hook), wrote });
        };
        const done = await inTurn(hook, signal, act, blocks);
        if (own) keepOwn(hook, own, (paths[1] ?? paths[0]).real);
        return done ?? null;
      } catch (error) {
        throw inWordsOfTheHook(error, paths);
      }
    },
    found({ paths, without }, { session }) {
      const elsewhere = without ? [] : paths.filter((path) => isElsewhere(path, session));
      return elsewhere.length === 0 ? undefined : elsewhere.map(({ real }) => quoted(real)).join(" and ");
    },
    describe: ({ paths, rest }) =>
      `${rights[0] === "watch" ? "watch" : verb} ${paths.map(quoted).join(" and ")}${leads ? ` to ${quoted(String(rest[0]))}` : ""}`,
    leads({ paths, rest }, { session }) {
      const found = paths.flatMap((path, index) => {
        const real = leadsTo(path, isLink(rest, index), session);
        if (real === undefined) return [];
        return paths.length === 1 ? [quoted(real)] : [`${quoted(real)} (${quoted(path)})`];
      });
      return found.length === 0 ? undefined : found.join(" and ");
    },
    without({ paths }) {
      if (!paths.every((path) => path === NOWHERE || path.startsWith(`${NOWHERE}/`))) return undefined;
      const named = paths.map((asked) => ({ asked, real: asked }));
      throw inWordsOfTheHook(fsError("ENOENT", "no such file or directory", verb), named);
    },
    propose: (asked, circumstances) => proposed(asked, false, circumstances),
    tells: (asked, circumstances) => proposed(asked, true, circumstances),
    maxWaiting: MOST_WAITING,
    reaches,
    perMinute: () => PER_MINUTE,
  });
}

/** It is not plain from the path where it leads: a link stands in it, or it is too long to be shown. */
const isElsewhere = ({ asked, real }: CheckedPath, session: Session): boolean =>
  asked.length > MAX_QUOTED || real !== throughRoots(absolute(asked, session.cwd), session);

/** A path that ends in a separator names a folder. */
function noFolder(checked: CheckedPath, right: FsRight): void {
  if (!/[\\/]$/.test(checked.asked)) return;
  const status = atPath(checked, (path) => lstatSync(path, { throwIfNoEntry: false }));
  if (status?.isDirectory() || (!status && right !== "write")) return;
  if (status) throw fsError("ENOTDIR", "not a directory", "open");
  throw fsError("EISDIR", "illegal operation on a directory", "open");
}

/** Node's own message, with the path that the hook gave instead of ours. */
function inWordsOfTheHook(error: unknown, paths: readonly CheckedPath[]): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || !syscall) return error;
  const reason = /^[A-Z0-9]+: [^,]*/.exec(message)?.[0] ?? code;
  const named = paths.map(({ asked }) => `'${asked}'`).join(" -> ");
  return Object.assign(new Error(`${reason}, ${syscall} ${named}`), { code });
}
