import type { Capabilities } from "../grants/schema.ts";

/** A part of a manifest's powers that allows more than a hook is likely to need. */
export interface Wide {
  /** The keys to it, below the powers. */
  path: (string | number)[];
  /** What it allows. */
  means: string;
  /** What to write instead. */
  remedy: string;
}

type Powers = { [Name in keyof Capabilities]?: Capabilities[Name] };

/** The parts of these powers that are wider than most hooks need, in the order of the powers. */
export function wideIn(powers: Powers): Wide[] {
  return [...wideFiles(powers), ...wideCommands(powers), ...wideNames(powers)];
}

/** A pattern whose fixed part is one of these is about all files below it. */
const EVERYWHERE = /^(\/|\$HOME\/?|[A-Za-z]:\/)$/;
const PROJECT = /^\$CWD\/?$/;

function wideFiles({ fs = {}, sqlite = [] }: Powers): Wide[] {
  const rights = Object.entries(fs).flatMap(([right, patterns]) =>
    patterns.map((pattern, at) => ({ path: ["fs", right, at], pattern, writes: right === "write" })),
  );
  const databases = sqlite.map(({ path, write }, at) => ({
    path: ["sqlite", at, "path"],
    pattern: path,
    writes: write,
  }));
  return [...rights, ...databases].flatMap(({ path, pattern, writes }) => {
    const [fixed = ""] = pattern.split(/[*?[]/, 1);
    const isGlob = fixed !== pattern;
    if (isGlob && EVERYWHERE.test(fixed))
      return [{ path, means: `${pattern} covers files all over the machine`, remedy: "name the folder that it needs" }];
    if (isGlob && writes && PROJECT.test(fixed) && pattern.includes("**"))
      return [
        {
          path,
          means: `${pattern} covers all files of a project, and what is written there can run code`,
          remedy: "name the files or the folder that it writes",
        },
      ];
    return [];
  });
}

const SHELLS =
  /(^|[/\\])(sh|bash|zsh|fish|dash|cmd|powershell|pwsh|env|node|python3?|perl|ruby|npx|bunx|deno)(\.exe)?$/;

function wideCommands({ exec = [] }: Powers): Wide[] {
  return exec.flatMap(({ program, args, fullAccess }, at): Wide[] => {
    if (fullAccess !== true) return [];
    const free = args.find((arg) => typeof arg === "object" && ("rest" in arg ? arg.rest : arg.kind) === "text");
    if (free === undefined) return [];
    const what = SHELLS.test(program) ? "runs any code" : "takes any arguments";
    return [
      {
        path: ["exec", at],
        means: `${program} with free text ${what}, with all that you can do`,
        remedy: "write the arguments out, or choose a narrower kind for them",
      },
    ];
  });
}

/** A beginning of fewer letters covers variables that nobody thought of. */
const LEAST_PREFIX = 3;

function wideNames({ events, env = [], tools = [], commands = [] }: Powers): Wide[] {
  const star = (
    path: (string | number)[],
    names: readonly string[] | undefined,
    means: string,
    remedy: string,
  ): Wide[] => (names ?? []).flatMap((name, at) => (name === "*" ? [{ path: [...path, at], means, remedy }] : []));
  return [
    ...star(["events", "see"], events?.see, 'see "*" covers all events', "name those that it has handlers for"),
    ...star(
      ["events", "rewriteInput"],
      events?.rewriteInput,
      'rewriteInput "*" covers calls of every tool',
      "name the tools",
    ),
    ...env.flatMap((name, at): Wide[] =>
      name.endsWith("*") && name.length <= LEAST_PREFIX
        ? [
            {
              path: ["env", at],
              means: `${name} covers many variables`,
              remedy: "name the variables, or more of their beginning",
            },
          ]
        : [],
    ),
    ...star(["tools"], tools, 'tools "*" covers any name', "name the tools that it offers"),
    ...star(["commands"], commands, 'commands "*" covers any name', "name the commands that it offers"),
  ];
}
