import Type, { type Static } from "typebox";

const closed = { additionalProperties: false } as const;

/** A parameter of a granted command line. No value of any kind may start with `-`, `@`, `:` or `+`. */
const Typed = Type.Union([
  Type.Object({ kind: Type.Literal("enum"), values: Type.Array(Type.String()) }, closed),
  Type.Object(
    { kind: Type.Literal("int"), min: Type.Optional(Type.Integer()), max: Type.Optional(Type.Integer()) },
    closed,
  ),
  Type.Object({ kind: Type.Literal("sha") }, closed),
  Type.Object({ kind: Type.Literal("ref") }, closed),
  Type.Object({ kind: Type.Literal("relpath") }, closed),
  Type.Object({ kind: Type.Literal("text"), max: Type.Optional(Type.Integer({ minimum: 1 })) }, closed),
]);
const Rest = Type.Object({ rest: Type.Enum(["int", "sha", "ref", "relpath", "text"]) }, closed);

export const execGrant = Type.Array(
  Type.Object(
    {
      program: Type.String({ minLength: 1, maxLength: 4096 }),
      args: Type.Array(Type.Union([Type.String(), Typed, Rest])),
      cwd: Type.Optional(Type.String()),
      env: Type.Optional(Type.Record(Type.String(), Type.String())),
      timeoutMs: Type.Optional(Type.Integer({ minimum: 1 })),
      maxOutputBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000 })),
      perMinute: Type.Optional(Type.Integer({ minimum: 1 })),
      fullAccess: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
);
export type ExecGrant = Static<typeof execGrant>;
export type ExecEntry = ExecGrant[number];
type TypedParameter = Static<typeof Typed>;

/** True if real strings fit a granted list of arguments, whole. */
export function matchesArgs(pattern: ExecEntry["args"], args: readonly string[]): boolean {
  const last = pattern.at(-1);
  const rest = typeof last === "object" && "rest" in last ? last.rest : undefined;
  const fixed = rest === undefined ? pattern : pattern.slice(0, -1);
  if (rest === undefined ? args.length !== fixed.length : args.length < fixed.length) return false;
  return args.every((arg, index) => {
    const wanted = fixed[index];
    if (wanted === undefined) return fits({ kind: rest } as TypedParameter, arg);
    return typeof wanted === "string" ? arg === wanted : !("rest" in wanted) && fits(wanted, arg);
  });
}

const MAX_TEXT = 4096;

function fits(parameter: TypedParameter, value: string): boolean {
  // A value that a program could take for an option, a file of options, a magic path or several lines.
  if (/^[-@:+]/.test(value) || /[\0\r\n]/.test(value)) return false;
  switch (parameter.kind) {
    case "enum":
      return parameter.values.includes(value);
    case "int": {
      const number = Number(value);
      return (
        /^\d{1,15}$/.test(value) &&
        number >= (parameter.min ?? 0) &&
        number <= (parameter.max ?? Number.MAX_SAFE_INTEGER)
      );
    }
    case "sha":
      return /^[0-9a-f]{7,64}$/.test(value);
    case "ref":
      return (
        /^[A-Za-z0-9][\w./-]{0,254}$/.test(value) &&
        !value.includes("..") &&
        !value.endsWith(".lock") &&
        !value.endsWith("/")
      );
    case "relpath":
      return value !== "" && !/^([/\\]|[A-Za-z]:|~)/.test(value) && !value.split(/[/\\]/).includes("..");
    case "text":
      return value.length <= (parameter.max ?? MAX_TEXT);
  }
}

/** Environment names that make a program load or run something else, never to be set. */
const FORBIDDEN_ENV =
  /^(LD_|DYLD_|NODE_|GIT_|PATH$|IFS$|ENV$|BASH_|PYTHON|PERL|RUBY|GCONV_PATH$|LOCPATH$|GLIBC_TUNABLES$|JAVA_TOOL_OPTIONS$|_JAVA_OPTIONS$|JDK_JAVA_OPTIONS$|TAR_OPTIONS$|MAKEFILES$|MAKEFLAGS$|NPM_CONFIG_)/i;

/** What may be set for a program that has a profile: how it speaks and writes, and nothing that it loads. */
const HARMLESS_ENV = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI)$/;

/** Subcommands of git that read, or write into the repository as their name says. */
const GIT_ORDINARY = new Set([
  "status",
  "diff",
  "log",
  "show",
  "stash",
  "add",
  "commit",
  "branch",
  "checkout",
  "rev-parse",
  "rev-list",
  "ls-files",
  "ls-tree",
  "describe",
  "blame",
  "shortlog",
  "symbolic-ref",
  "name-rev",
  "merge-base",
  "cat-file",
  "for-each-ref",
  "show-ref",
]);
const ORDINARY = new Set([
  "ls",
  "cat",
  "head",
  "tail",
  "wc",
  "date",
  "true",
  "false",
  "echo",
  "pwd",
  "uname",
  "whoami",
]);

/** Of these, those that read the files that they are given: the agent's environment is one. */
const READS_FILES = new Set(["cat", "head", "tail", "wc", "ls"]);

const isFreeText = (arg: ExecEntry["args"][number]): boolean =>
  typeof arg === "object" && (("kind" in arg && arg.kind === "text") || ("rest" in arg && arg.rest === "text"));

/** What is wrong with a grant's entry, if anything: an unknown program can run code as well as a shell can. */
export function faultOf(entry: ExecEntry): string | undefined {
  const name = entry.program.split(/[/\\]/).at(-1) as string;
  const first = entry.args[0];
  const ordinary =
    entry.program === name &&
    (ORDINARY.has(name) || (name === "git" && typeof first === "string" && GIT_ORDINARY.has(first)));
  // Two paths outside the repository make git's diff one of any two files.
  if (
    ordinary &&
    (READS_FILES.has(name) || first === "diff") &&
    entry.fullAccess !== true &&
    entry.args.some(isFreeText)
  )
    return `${entry.program} with free text can read any file: its entry needs { "kind": "relpath" } or "fullAccess": true`;
  if (!ordinary && entry.fullAccess !== true)
    return `${entry.program} can run or fetch any code: its entry needs "fullAccess": true`;
  if (entry.args.slice(0, -1).some((arg) => typeof arg === "object" && "rest" in arg))
    return `"rest" must be the last argument of ${entry.program}`;
  const variable = Object.keys(entry.env ?? {}).find(
    (key) => FORBIDDEN_ENV.test(key) || !(entry.fullAccess || HARMLESS_ENV.test(key)),
  );
  return variable === undefined ? undefined : `the environment of ${entry.program} may not set ${variable}`;
}
