import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { type ExecAttack, type Line, marks, NOT_GRANTED, program, run } from "./exec-attack.ts";

const full = (name: string, ...args: string[]): ExecGrant => [{ program: name, args, fullAccess: true }];
const path = (...folders: string[]): Record<string, string> => ({
  PATH: [...folders, process.env.PATH].join(delimiter),
});
const honest = (file: string, interpreter = "/bin/sh"): void => {
  program(file, "echo honest");
  writeFileSync(file, `#!${interpreter}\necho honest\n`);
};
const evil = (world: string, file: string): void => program(join(world, file), marks(world));

/** An honest tool and a neighbour are in a folder on PATH; the project has a tool of the same name. */
const shadow = (name: string, env: Record<string, string>, lay: (world: string) => void): ExecAttack => ({
  name,
  env,
  lay(world) {
    honest(join(world, "bin", "tool"));
    honest(join(world, "bin", "other"));
    lay(world);
  },
  line: ["tool"],
  grant: [...full("tool"), ...full("other")],
  refusal: /^0 honest\n$/,
  works: { line: ["other"], gives: /^0 honest\n$/ },
});

export const shadows: ExecAttack[] = [
  shadow("the project's node_modules/.bin is first on PATH", path("{W}/proj/node_modules/.bin", "{W}/bin"), (world) =>
    evil(world, "proj/node_modules/.bin/tool"),
  ),
  shadow("a node_modules above the project is first on PATH", path("{W}/node_modules/.bin", "{W}/bin"), (world) =>
    evil(world, "node_modules/.bin/tool"),
  ),
  shadow("the working directory is on PATH", path(".", "{W}/bin"), (world) => evil(world, "proj/tool")),
  shadow("an entry of PATH is empty, which means the working directory", path("", "{W}/bin"), (world) =>
    evil(world, "proj/tool"),
  ),
  shadow("a folder of the project is on PATH, spelt from outside", path("{W}/bin/../proj/x", "{W}/bin"), (world) =>
    evil(world, "proj/x/tool"),
  ),
  shadow("a folder on PATH is a link into the project", path("{W}/linked", "{W}/bin"), (world) => {
    evil(world, "proj/x/tool");
    symlinkSync(join(world, "proj", "x"), join(world, "linked"));
  }),
  shadow("a program on PATH is a link into the project", path("{W}/links", "{W}/bin"), (world) => {
    evil(world, "proj/x");
    mkdirSync(join(world, "links"));
    symlinkSync(join(world, "proj", "x"), join(world, "links", "tool"));
  }),
  {
    ...shadow("a helper of a granted program is found in the project first", path("{W}/proj/x", "{W}/bin"), (world) => {
      program(join(world, "bin", "tool"), "helper");
      honest(join(world, "bin", "helper"));
      evil(world, "proj/x/helper");
    }),
  },
];

/** A program that is granted by its path. */
const placed = (
  name: string,
  line: Line,
  lay: (world: string) => void,
  refusal = /^1 .*not found outside/,
): ExecAttack => ({
  name,
  line,
  grant: [...full(line[0]), ...full("{W}/bin/tool")],
  lay(world) {
    honest(join(world, "bin", "tool"));
    lay(world);
  },
  refusal,
  works: { line: ["{W}/bin/tool"], gives: /^0 honest\n$/ },
});

export const placesOfPrograms: ExecAttack[] = [
  placed("a program of the project's, by its place", ["./tool"], (world) => evil(world, "proj/tool")),
  placed("one by a way out of the project and back", ["../bin/../proj/tool"], (world) => evil(world, "proj/tool")),
  placed("one by a link outside", ["{W}/link"], (world) => {
    evil(world, "proj/tool");
    symlinkSync(join(world, "proj", "tool"), join(world, "link"));
  }),
  placed("one whose interpreter is the project's", ["{W}/bin/script"], (world) => {
    evil(world, "proj/sh");
    honest(join(world, "bin", "script"), join(world, "proj", "sh"));
  }),
  {
    ...placed(
      "one that is granted by its name, by its place",
      ["{W}/proj/tool"],
      (world) => evil(world, "proj/tool"),
      NOT_GRANTED,
    ),
    grant: full("{W}/bin/tool"),
  },
];

/** The kernel takes `#!sh` from the working directory, and not from PATH. */
export const relativeInterpreters: ExecAttack[] = [
  placed(
    "one whose interpreter is looked for where it runs",
    ["{W}/bin/script"],
    (world) => {
      evil(world, "proj/sh");
      honest(join(world, "bin", "script"), "sh");
    },
    /^1 .*not found outside|^NOT_GRANTED/,
  ),
];

const CHANGED = /^NOT_GRANTED: .* changed since it was granted/;
/** The agent may write to the folder on PATH, and replaces the program after its first run. */
const swapped = (name: string, swap: (world: string) => void, more: Partial<ExecAttack> = {}): ExecAttack => ({
  name,
  env: path("{W}/first", "{W}/bin", "{W}/last"),
  lay(world) {
    mkdirSync(join(world, "first"));
    honest(join(world, "bin", "tool"));
    honest(join(world, "last", "unlike"));
  },
  swap,
  line: ["tool"],
  grant: full("tool"),
  refusal: CHANGED,
  works: { line: ["tool"], gives: /^0 honest\n$/ },
  ...more,
});
/** A tool whose interpreter is a shell that this user can replace. */
const withShell = (interpreter: (world: string) => string) => (world: string) => {
  mkdirSync(join(world, "first"));
  mkdirSync(join(world, "bin"));
  run(world, "cp", "/bin/sh", "bin/mysh");
  honest(join(world, "bin", "tool"), interpreter(world));
};
const byEnv = withShell(() => "/usr/bin/env mysh");

export const swaps: ExecAttack[] = [
  swapped("a program is written over", (world) => evil(world, "bin/tool")),
  swapped("a program becomes a link to another", (world) => {
    rmSync(join(world, "bin", "tool"));
    symlinkSync(join(world, "marker"), join(world, "bin", "tool"));
  }),
  swapped("a program goes, and one of its name is later on PATH", (world) => {
    rmSync(join(world, "bin", "tool"));
    evil(world, "last/tool");
  }),
  swapped("the folder of a program becomes another", (world) => {
    renameSync(join(world, "bin"), join(world, "old"));
    evil(world, "bin/tool");
  }),
  swapped("one of its name comes earlier on PATH", (world) => evil(world, "first/tool"), { refusal: /^0 honest\n$/ }),
  swapped(
    "its interpreter is written over",
    (world) => {
      rmSync(join(world, "bin", "mysh"));
      evil(world, "bin/mysh");
    },
    { lay: withShell((world) => join(world, "bin", "mysh")) },
  ),
  swapped(
    "the interpreter that env finds is written over",
    (world) => {
      rmSync(join(world, "bin", "mysh"));
      evil(world, "bin/mysh");
    },
    { lay: byEnv },
  ),
];

export const swapsOfInterpreters: ExecAttack[] = [
  swapped(
    "one of the interpreter's name comes earlier on PATH, where env finds it",
    (world) => evil(world, "first/mysh"),
    {
      lay: byEnv,
      refusal: /^0 honest\n$|^NOT_GRANTED: /,
    },
  ),
];
