import { posix } from "node:path";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { limitsOf } from "../grants/limits.ts";
import { type Capabilities, type Limits, withMore } from "../grants/schema.ts";
import type { Wanted } from "../grants/wanted.ts";
import type { HookEvent } from "../hook-api.ts";
import type { SampleWorld } from "../host/sample-events.ts";
import { coversPattern, isInNamedFolder, MAX_PATTERNS } from "../powers/fs-grant.ts";
import type { FsRight } from "../powers/fs-refused-names.ts";
import type { Refusal } from "../session/hook-error.ts";
import type { Tried } from "./try-offers.ts";
import { withVaried } from "./varied-arguments.ts";
import { ofAnother } from "./volatile-values.ts";
import { widened } from "./widened.ts";
import { withWritten } from "./with-written.ts";

/** What came out while a hook was tried. */
export interface Found extends Tried {
  refusals: readonly Refusal[];
  /** The types of events that the hook hears. */
  heard: readonly string[];
  /** What its source names of pi's API. */
  written: Capabilities;
  /** Powers and limits that its code seems to use. */
  uses: readonly string[];
}

export interface Proposal {
  capabilities: Capabilities;
  limits?: Limits;
  /** Of the powers, those that the source names alone. */
  added: readonly string[];
  /** Files with secrets that it read since an event named them. They are not proposed. */
  secrets: readonly string[];
  /** Patterns of files beyond those that a grant may have. */
  beyond: number;
}

/** Single files of one folder that are proposed as such. */
const MOST_FILES = 3;
/** Patterns for reading in the project that a person still reads. */
const MOST_PATTERNS = 8;
const PROJECT = "$CWD/**";

/**
 * The least grant that covers what a hook tried. `events`: what it heard; files that these name are of any name another day.
 * `hasWritten`: it wrote to the project in fact, so that its reads there are known.
 */
export function proposalOf(
  { refusals, heard, tools, commands, written, uses }: Found,
  { world, events, hasWritten }: { world: SampleWorld; events: readonly HookEvent[]; hasWritten: boolean },
): Proposal {
  const wanted = refusals.flatMap(({ wanted }) => (wanted && widened(wanted)) ?? []);
  const powers = wanted.filter(({ capability }) => capability !== "limits");
  const lifted = wanted.flatMap(({ capability, grant }) => (capability === "limits" ? [grant as Limits] : []));
  if (uses.includes("limits.wasm")) lifted.push({ wasm: true });
  const limits = lifted.reduce<Limits | undefined>((sum, more) => limitsOf.union(sum, more), undefined);
  const tried = powers.reduce<Capabilities>((sum, { capability, grant }: Wanted) => withMore(sum, capability, grant), {
    events: {
      see: heard.filter((name) => EVENT_NAMES.includes(name)).sort(),
      ...(heard.includes("tool_call") ? { block: true } : {}),
    },
    ...(tools.size > 0 ? { tools: [...tools] } : {}),
    ...(commands.size > 0 ? { commands: [...commands] } : {}),
  });
  if (tried.exec) tried.exec = withVaried(tried.exec, world.model);
  // What was not written in fact was not read again; and a folder of the hook's own has files of other names another day.
  const writes = tried.fs?.write ?? [];
  const isOwn = (pattern: string): boolean => writes.includes(`${pattern}/**`) || pattern.endsWith("/**");
  // A folder that was made only for what lies deeper is not read.
  const isOnTheWay = (pattern: string): boolean =>
    !isOwn(pattern) && writes.some((other) => other.startsWith(`${pattern}/`));
  const files = writes.filter(
    (pattern) => !isOnTheWay(pattern) && (!(hasWritten && pattern.startsWith("$CWD/")) || isOwn(pattern)),
  );
  if (files.length > 0) Object.assign(tried, withMore(tried, "fs", { read: files }));
  const named = namedIn(events, world.cwd);
  const secrets = secretsOfEvents(tried.fs?.read ?? [], named);
  if (tried.fs?.read) {
    const reads = tried.fs.read.filter((pattern) => !secrets.includes(pattern));
    tried.fs = { ...tried.fs, read: gathered(reads, named) };
  }
  for (const right of ["read", "write", "watch"] as const) {
    const patterns = tried.fs?.[right]?.map((pattern) => ofAnyHash(pattern, right));
    if (patterns) tried.fs = { ...tried.fs, [right]: notCovered(patterns, right) };
  }
  const { capabilities, added } = withWritten(tried, written);
  const beyond = Object.values(capabilities.fs ?? {}).flatMap((patterns) => patterns.slice(MAX_PATTERNS)).length;
  const fs = Object.entries(capabilities.fs ?? {}).map(([right, patterns]) => [right, patterns.slice(0, MAX_PATTERNS)]);
  return {
    capabilities: beyond === 0 ? capabilities : { ...capabilities, fs: Object.fromEntries(fs) },
    ...{ added, secrets, beyond },
    ...(limits ? { limits } : {}),
  };
}

/** A hash of the project's folder, or of the session: it is another one elsewhere. */
const HASH = /^(?=.*\d)(?=.*[a-f])[\da-f]{12,}$/;

/** A pattern of any time and random id where it names one, and outside of the project of any hash. */
function ofAnyHash(pattern: string, right: FsRight): string {
  const isOutside = !pattern.startsWith("$CWD");
  const general = ofAnother(pattern)
    .split("/")
    .map((name) => (isOutside && HASH.test(name) ? "?".repeat(name.length) : name))
    .join("/");
  // No wildcard covers a place of secrets or of code.
  return coversPattern(general, pattern, right) ? general : pattern;
}

/** Patterns without those that another one covers: a folder may come after files in it. */
function notCovered(patterns: readonly string[], right: FsRight): string[] {
  const covers = (wide: string, narrow: string): boolean =>
    coversPattern(wide, narrow, right) || isInNamedFolder(wide, narrow, right);
  // Of two that mean the same, the first stays.
  return patterns.filter(
    (one, at) => !patterns.some((other, of) => of !== at && covers(other, one) && (of < at || !covers(one, other))),
  );
}

/** Patterns of the project's files that events name. */
function namedIn(events: readonly HookEvent[], cwd: string): ReadonlySet<string> {
  const inputs = events.flatMap((event) => ("input" in event && typeof event.input === "object" ? [event.input] : []));
  const texts = inputs.flatMap((input) => Object.values(input ?? {})).filter((value) => typeof value === "string");
  return new Set(
    texts.map((text) => `$CWD/${posix.normalize(text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text)}`),
  );
}

/** A file that no wildcard covers. */
const isSecret = (pattern: string): boolean => pattern.startsWith("$CWD/") && !coversPattern(PROJECT, pattern, "read");

/** Secrets that a hook read because it reads whatever an event names: a sample of an event is no reason to grant them. */
function secretsOfEvents(patterns: readonly string[], named: ReadonlySet<string>): string[] {
  const fromEvents = patterns.filter((pattern) => named.has(pattern));
  return fromEvents.every(isSecret) ? [] : fromEvents.filter(isSecret);
}

/** Patterns that a person can review: single files where there are few, else their folder, else the project. */
function gathered(patterns: readonly string[], named: ReadonlySet<string>): string[] {
  const general = patterns.map((pattern) => (named.has(pattern) && !isSecret(pattern) ? PROJECT : pattern));
  const isFile = (pattern: string): boolean =>
    pattern.startsWith("$CWD/") && !/[*?[\]{}]/.test(pattern) && !general.includes(`${pattern}/**`);
  const inFolder = (folder: string): number =>
    general.filter((one) => isFile(one) && posix.dirname(one) === folder).length;
  const folders = general.map((pattern) =>
    isFile(pattern) && inFolder(posix.dirname(pattern)) > MOST_FILES ? `${posix.dirname(pattern)}/*` : pattern,
  );
  const unique = [...new Set(folders)];
  const ofProject = unique.filter((pattern) => pattern.startsWith("$CWD/"));
  const isMuch = unique.includes(PROJECT) || ofProject.length > MOST_PATTERNS;
  // No wildcard covers a place of code: what names one stays.
  return isMuch ? (withMore({ fs: { read: [PROJECT] } }, "fs", { read: unique }).fs?.read ?? []) : unique;
}
