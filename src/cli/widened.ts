import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";
import type { Wanted } from "../grants/wanted.ts";
import { type ExecEntry, type ExecGrant, faultOf } from "../powers/exec-grant.ts";
import { readsFiles } from "../powers/exec-shown-files.ts";
import type { FsGrant } from "../powers/fs-grant.ts";
import type { NetGrant } from "../powers/net-grant.ts";
import { ANY_HOST, ANY_PATH, EDITED } from "./sample-arguments.ts";
import { SHA } from "./sample-git.ts";
import { SCRIPT_NEXT } from "./varied-arguments.ts";
import { hasVolatile, ofAnother } from "./volatile-values.ts";

/** Texts of the sample events and arguments that another day are others. */
const TEXTS = [
  "please do it",
  "please debug this, and do it well",
  "rm -rf build && sudo ls",
  "make install",
  EDITED,
  "sample",
  SHA,
];

/**
 * A proposal without what the samples made up: a name becomes `*`, an argument any text, a path all that is beside it.
 * `undefined` if nothing is left: an address cannot stand for any other.
 */
export function widened({ capability, grant }: Wanted): Wanted | undefined {
  switch (capability) {
    case "fs":
      return { capability, grant: widerFiles(grant as FsGrant) };
    case "exec":
      return { capability, grant: (grant as ExecGrant).map(widerEntry) };
    case "net": {
      const { connect = [], ...rest } = grant as NetGrant;
      const named = connect.filter((endpoint) => !endpoint.startsWith(ANY_HOST));
      const left = { ...rest, ...(named.length > 0 ? { connect: named } : {}) };
      return Object.keys(left).length > 0 ? { capability, grant: left } : undefined;
    }
    case "model": {
      // A provider that a sample variable named.
      const named = (grant as string[]).filter((provider) => provider !== "sample");
      return named.length > 0 ? { capability, grant: named } : undefined;
    }
    default:
      return { capability, grant };
  }
}

const widerFiles = (grant: FsGrant): FsGrant =>
  Object.fromEntries(
    Object.entries(grant).map(([right, patterns]) => [right, [...new Set(patterns.map(widerPattern))]]),
  );

function widerPattern(pattern: string): string {
  const any = new RegExp(`/(?:${ANY_PATH}|${EDITED.replace(".", "\\.")})(?:/.*)?$`).exec(pattern);
  if (any) return `${pattern.slice(0, any.index)}/**`;
  return pattern.replace(/sample(-own)?/g, "*").replace(/\*[*.-]*\*/g, (stars) => (stars === "**" ? stars : "*"));
}

const TIME = /^\d{4}-\d\d-\d\d([T ][\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/;

/** A variable that says when it is, or holds a random id, says something else the next time. git's index has its own pattern. */
function withAnyTime(entry: ExecEntry): ExecEntry {
  if (!entry.env) return entry;
  const isOther = (name: string, value: unknown): boolean =>
    name !== INDEX_VARIABLE && typeof value === "string" && (TIME.test(value) || hasVolatile(value));
  const env = Object.entries(entry.env).map(([name, value]) => [
    name,
    isOther(name, value) ? ({ kind: "text" } as const) : value,
  ]);
  return { ...entry, env: Object.fromEntries(env) };
}

/** git takes what follows `--` for paths of the work tree: another day others have changed. */
function withAnyPaths(entry: ExecEntry): ExecEntry {
  const at = entry.args.indexOf("--");
  if (entry.program !== "git" || at < 0 || at === entry.args.length - 1) return entry;
  const wider: ExecEntry = { ...entry, args: [...entry.args.slice(0, at + 1), { rest: "relpath" }] };
  return faultOf(wider) === undefined ? wider : entry;
}

/** A text that says something else the next time, if an argument of any text may stand for it. A script does not: any would do. */
const isOfNow = (arg: string, before: unknown): boolean =>
  !/^[-@:+]/.test(arg) && !SCRIPT_NEXT.test(String(before)) && hasVolatile(arg);

function widerEntry(asked: ExecEntry): ExecEntry {
  const index = asked.env?.[INDEX_VARIABLE];
  const placed =
    typeof index === "string"
      ? { ...asked, env: { ...asked.env, [INDEX_VARIABLE]: ofAnother(widerPattern(index)) } }
      : asked;
  const entry = withAnyPaths(withAnyTime(placed));
  const free = entry.args.map(
    (arg, at) =>
      typeof arg === "string" && (TEXTS.some((text) => arg.includes(text)) || isOfNow(arg, entry.args[at - 1])),
  );
  if (!free.includes(true)) return entry;
  const kind = readsFiles(entry) ? ("relpath" as const) : ("text" as const);
  const { fullAccess: _asLiteral, ...wider } = {
    ...entry,
    args: entry.args.map((arg, at) =>
      free[at] ? { kind, ...(kind === "text" && String(arg).includes("\n") ? { lines: true } : {}) } : arg,
    ),
  };
  if (faultOf(wider) === undefined) return wider;
  // A shell is handed scripts.
  const args = wider.args.map((arg) =>
    typeof arg === "object" && "kind" in arg && arg.kind === "text" ? { ...arg, lines: true } : arg,
  );
  return { ...wider, args, fullAccess: true };
}
