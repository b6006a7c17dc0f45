import type { Static, TSchema } from "typebox";
import {
  INDEX_VARIABLE,
  isAuthorVariable,
  isDecisiveVariable,
  PLAIN_GIT_VARIABLE,
} from "../../sandbox/wire/environment.ts";
import { keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import { list } from "./algebra.ts";
import { argument, argumentOfLimit, coversArgs, endsWithAny } from "./exec-arguments.ts";
import { coversFolder } from "./exec-folder.ts";
import { NETWORK_COMMANDS } from "./exec-git-network.ts";
import { FILE_OPTIONS, LISTS_FILES, listsFiles, READS_FILES, readsFiles, shortened } from "./exec-shown-files.ts";
import { faultOfPattern } from "./fs-grant.ts";
import { firstFault, type Power } from "./power.ts";

const closed = { additionalProperties: false } as const;

const entryWith = <Argument extends TSchema>(argument: Argument) =>
  Type.Object(
    {
      program: Type.String({ minLength: 1, maxLength: 4096, description: "Its name on PATH, or its absolute path." }),
      args: Type.Array(argument, { description: "The whole list of arguments. Any other list is refused." }),
      cwd: Type.Optional(Type.String({ description: "The folder it runs in. Default: the session's folder." })),
      env: Type.Optional(
        keyed(
          Type.Union([Type.String(), Type.Object({ kind: Type.Literal("text") }, closed)]),
          { description: 'Variables besides the usual ones: a value, or { "kind": "text" } for any.' },
          128,
        ),
      ),
      timeoutMs: Type.Optional(
        Type.Integer({ minimum: 1, description: "Most time of a run, in ms. Default: 600000." }),
      ),
      maxOutputBytes: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2_000_000, description: "Most output, in bytes. Default: 1000000." }),
      ),
      perMinute: Type.Optional(Type.Integer({ minimum: 1, description: "Most runs in a minute. Default: 120." })),
      fullAccess: Type.Optional(
        Type.Boolean({
          description: "Needed by every program that can run or fetch code: it can do all that you can.",
        }),
      ),
      stdin: Type.Optional(Type.Boolean({ description: "It may write to the program's input. Needs fullAccess." })),
      gitNetwork: Type.Optional(
        Type.Boolean({ description: "git may reach other machines: for commands such as fetch and push." }),
      ),
    },
    closed,
  );

const execGrant = Type.Array(entryWith(argument), {
  description: "Command lines that it may run, each without a shell.",
});

export type ExecGrant = Static<typeof execGrant>;
export type ExecEntry = ExecGrant[number];

/** The most that a policy leaves of grants. It has the type of a grant, since it is compared with grants and never is one. */
export const execLimit = Type.Array(entryWith(argumentOfLimit), {
  description: "Command lines that grants may have.",
}) as unknown as typeof execGrant;

/** Numbers of an entry, and what they are where it says nothing. A test suite fits the time. */
export const BOUNDS = { timeoutMs: 600_000, maxOutputBytes: 1_000_000, perMinute: 120 } as const;
type Bound = keyof typeof BOUNDS;
const bounds = Object.keys(BOUNDS) as Bound[];
export const boundOf = (entry: ExecEntry, bound: Bound): number => entry[bound] ?? BOUNDS[bound];

export const execPower: Power<typeof execGrant> = {
  schema: execGrant,
  fault: (grant) => firstFault(grant, faultOf),
  get published() {
    return { items: publishedEntry() };
  },
  ...list<ExecEntry>({ covers: coversEntry, meet: commonEntry }),
};

/** The same program in the same folder and environment, with arguments that `wide` allows, and no longer or more often. */
function coversEntry(wide: ExecEntry, narrow: ExecEntry): boolean {
  return isAlike(wide, narrow) && bounds.every((bound) => boundOf(narrow, bound) <= boundOf(wide, bound));
}

/** The narrower arguments under the lower bounds. */
function commonEntry(one: ExecEntry, other: ExecEntry): ExecEntry | undefined {
  const narrower = isAlike(one, other) ? other : isAlike(other, one) ? one : undefined;
  if (!narrower) return undefined;
  const common = { ...narrower };
  for (const bound of bounds) {
    const lower = Math.min(boundOf(one, bound), boundOf(other, bound));
    if (lower !== boundOf(common, bound)) common[bound] = lower;
  }
  return common;
}

function isAlike(wide: ExecEntry, narrow: ExecEntry): boolean {
  return (
    wide.program === narrow.program &&
    (endsWithAny(wide.args) ||
      (coversFolder(wide.cwd, narrow.cwd) &&
        JSON.stringify(sorted(wide.env)) === JSON.stringify(sorted(narrow.env)))) &&
    (wide.fullAccess === true || narrow.fullAccess !== true) &&
    (wide.stdin === true || narrow.stdin !== true) &&
    (wide.gitNetwork === true || narrow.gitNetwork !== true) &&
    coversArgs(wide.args, narrow.args, readsFiles(wide))
  );
}

const sorted = (env: ExecEntry["env"] = {}): [string, unknown][] =>
  Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));

/** What may be set for a program that has a profile: how it speaks and writes, and nothing that it loads. */
const HARMLESS_ENV = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI)$/;
const isHarmless = (name: string): boolean => HARMLESS_ENV.test(name) || PLAIN_GIT_VARIABLE.test(name);
/** Of those, the values that need no grant: no path, and no list of any. */
const PLAIN_VALUE = /^[\w.:@+-]{0,64}$/;

/** Whether a hook may set these variables for a program that runs under the entry, the place of git's index aside. */
export const coversVariables = ({ env = {} }: ExecEntry, asked: ReadonlyMap<string, string>): boolean =>
  asked.entries().every(([name, value]) => {
    if (name === INDEX_VARIABLE) return true;
    const granted = Object.hasOwn(env, name) ? env[name] : undefined;
    if (granted === undefined) return isHarmless(name) && PLAIN_VALUE.test(value);
    return typeof granted === "object" || granted === value;
  });

/** What an entry sets itself, whatever the hook says. */
export const fixedVariables = ({ env = {} }: ExecEntry): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      typeof value === "string" && name !== INDEX_VARIABLE ? [[name, value]] : [],
    ),
  );

/** Subcommands of git that read, or write into the repository as their name says. */
const GIT_ORDINARY = new Set(
  "status diff log show stash add commit branch checkout rev-parse rev-list ls-files ls-tree describe blame shortlog symbolic-ref name-rev merge-base cat-file for-each-ref show-ref".split(
    " ",
  ),
);
const ORDINARY = new Set("ls cat head tail wc date true false echo pwd uname whoami".split(" "));

/**
 * Options by which git's ordinary commands do more than their name says; git takes their beginnings, too. One writes a file, wherever
 * it is. The others run programs that the repository names, or enter repositories in this one, which have programs of their own.
 */
const DOES_MORE = new RegExp(
  `^--(?!(?:text|ignore-submodules(?:=(?:all|dirty))?)$)(?:${["output", "ext-diff", "textconv", "recurse-submodules", "ignore-submodules", "submodule"].map(shortened).join("|")})(=|$)`,
);

const isFreeText = (arg: ExecEntry["args"][number]): boolean =>
  typeof arg === "object" && (("kind" in arg && arg.kind === "text") || ("rest" in arg && arg.rest === "text"));

/** No value of a kind begins with `-`: only a literal argument can be such an option. */
const doesMore = (arg: ExecEntry["args"][number]): arg is string => typeof arg === "string" && DOES_MORE.test(arg);

/** Whether a command of git shows files that its arguments name, with some options or always. */
const readsSome = (name: string): boolean => name === "diff" || FILE_OPTIONS.has(`git ${name}`);

/** What {@link faultOf} accepts, as JSON Schema, but for variables and the place of `rest`. */
function publishedEntry(): object {
  const text = { const: "text" };
  const freeText = [
    { type: "object", required: ["kind"], properties: { kind: text } },
    { type: "object", required: ["rest"], properties: { rest: text } },
  ];
  const doesNoMore = { not: { contains: { type: "string", pattern: DOES_MORE.source } } };
  const filesOnly = { not: { contains: { anyOf: freeText } } };
  const ordinary = (program: object, args: object) => ({ properties: { program, args, stdin: { const: false } } });
  const firstOf = (names: Iterable<string>) => ({ minItems: 1, items: [{ enum: [...names] }] });
  const git = { const: "git" };
  const profiles = [
    { required: ["fullAccess"], properties: { fullAccess: { const: true } } },
    ordinary({ enum: [...ORDINARY].filter((name) => !READS_FILES.has(name) && !FILE_OPTIONS.has(name)) }, {}),
    ordinary({ enum: [...READS_FILES].filter((name) => name !== "wc") }, filesOnly),
    ordinary(
      { const: "wc" },
      { allOf: [filesOnly, { not: { contains: { type: "string", pattern: LISTS_FILES.source } } }] },
    ),
    ordinary(git, { ...firstOf([...GIT_ORDINARY].filter((name) => !readsSome(name))), ...doesNoMore }),
    ordinary(git, { ...firstOf(["diff"]), allOf: [filesOnly, doesNoMore] }),
    ...[...FILE_OPTIONS].map(([command, options]) => {
      const [program, first] = command.split(" ");
      const without = { not: { contains: { type: "string", pattern: options.source } } };
      return first === undefined
        ? ordinary({ const: program }, { anyOf: [without, filesOnly] })
        : ordinary(git, { ...firstOf([first]), allOf: [doesNoMore, { anyOf: [without, filesOnly] }] });
    }),
  ];
  const network = [
    { properties: { gitNetwork: { const: false } } },
    { properties: { program: { pattern: "^(.*[/\\\\])?git$" }, args: firstOf(NETWORK_COMMANDS) } },
  ];
  return { allOf: [{ anyOf: profiles }, { anyOf: network }] };
}

/** Why an entry of a limit does not limit what its author may think, if so. Such a policy is valid: it only takes away. */
export function warningOf(entry: ExecEntry): string | undefined {
  const { program, args } = entry;
  const any = '{ "rest": "any" }';
  const literal = args.find((arg) => typeof arg === "string" && arg.includes("*"));
  if (literal !== undefined) return `${JSON.stringify(literal)} is no pattern; for any arguments, end with ${any}`;
  const git = program === "git" ? [...GIT_ORDINARY] : [];
  const isOrdinary = ORDINARY.has(program) || git.some((name) => coversArgs(args.slice(0, 1), [name], false));
  if (!isOrdinary && entry.fullAccess !== true)
    return `no grant fits it: ${program} with such arguments can run or fetch any code, which takes "fullAccess": true in a grant, and here`;
  if (endsWithAny(args) && readsFiles(entry))
    return `it covers any file that a grant names for ${program}, whatever this policy says of fs; list the arguments instead`;
  if (args.some(isFreeText))
    return `"text" is no option, and so no argument that begins with "-"; for any arguments, end with ${any}`;
  return undefined;
}

/** What is wrong with a grant's entry, if anything: an unknown program can run code as well as a shell can. */
export function faultOf(entry: ExecEntry): string | undefined {
  const name = entry.program.split(/[/\\]/).at(-1) as string;
  const first = entry.args[0];
  const ordinary =
    entry.program === name &&
    (ORDINARY.has(name) || (name === "git" && typeof first === "string" && GIT_ORDINARY.has(first)));
  // Two paths outside the repository make git's diff one of any two files.
  if (ordinary && readsFiles(entry) && entry.args.some(isFreeText))
    return `${entry.program} with free text can read any file: its entry needs { "kind": "relpath" } or "fullAccess": true`;
  if (!ordinary && entry.fullAccess !== true)
    return `${entry.program} can run or fetch any code: its entry needs "fullAccess": true`;
  if (name === "wc" && entry.fullAccess !== true && entry.args.some(listsFiles))
    return 'wc with a list of files says something of any file: its entry needs "fullAccess": true';
  const more = name === "git" && entry.fullAccess !== true ? entry.args.find(doesMore) : undefined;
  if (more !== undefined)
    return `git with ${more} can write any file, or run what a repository names: its entry needs "fullAccess": true`;
  if (entry.stdin === true && entry.fullAccess !== true)
    return `what ${entry.program} reads can tell it anything: an entry with "stdin": true needs "fullAccess": true`;
  if (entry.gitNetwork === true && !(name === "git" && typeof first === "string" && NETWORK_COMMANDS.has(first)))
    return `"gitNetwork": true is for ${[...NETWORK_COMMANDS].join(", ")} of git alone`;
  if (entry.args.slice(0, -1).some((arg) => typeof arg === "object" && "rest" in arg))
    return `"rest" must be the last argument of ${entry.program}`;
  const index = Object.hasOwn(entry.env ?? {}, INDEX_VARIABLE) ? entry.env?.[INDEX_VARIABLE] : "/";
  const wrong = typeof index === "string" ? faultOfPattern(index) : "a file must be named, as one to write";
  if (wrong !== undefined) return `${INDEX_VARIABLE} of ${entry.program}: ${wrong}`;
  const variable = Object.keys(entry.env ?? {}).find(
    (key) =>
      isDecisiveVariable(key) ||
      !(entry.fullAccess || isHarmless(key) || isAuthorVariable(key) || key === INDEX_VARIABLE),
  );
  return variable === undefined ? undefined : `the environment of ${entry.program} may not set ${variable}`;
}
