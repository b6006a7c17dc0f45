import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { type ExecAttack, type Line, marks, NOT_GRANTED, run } from "./exec-attack.ts";

type Arg = ExecGrant[number]["args"][number];

/** One entry, with the word that a program which can run any code needs. */
export const full = (program: string, ...args: Arg[]): ExecGrant => [{ program, args, fullAccess: true }];
const FILES: Arg = { rest: "relpath" };
const WORDS: Arg = { rest: "text" };

/** An option by which a program runs another one. The grant is as close to it as possible. */
const option = (
  name: string,
  line: Line,
  grant: ExecGrant,
  works: Line,
  gives: RegExp,
  more: Partial<ExecAttack> = {},
) => ({ name, line, grant, refusal: NOT_GRANTED, works: { line: works, gives }, ...more }) satisfies ExecAttack;

const file = (path: string, content: string | ((world: string) => string)) => (world: string) =>
  writeFileSync(join(world, "proj", path), typeof content === "string" ? content : content(world));

const SAYS_HOST: ExecAttack["works"] = {
  grant: full("ssh", "-G", { kind: "text" }),
  line: ["ssh", "-G", "nowhere.invalid"],
  gives: /^0 .*hostname nowhere\.invalid\n/s,
};

/** Two copies, so that sorting them needs more than the given memory. */
const many = file("many.txt", "some line of text\n".repeat(20_000));

/** The script of npm: it is not found by its own name, see `npm` below. */
const NPM =
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "npm"))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))[0] ?? "npm";

const NPM_PROJECT = (world: string): void => {
  writeFileSync(join(world, "proj", "package.json"), '{ "name": "x", "scripts": { "say": "echo said" } }');
  mkdirSync(join(world, "evil"));
  writeFileSync(join(world, "evil", "package.json"), JSON.stringify({ name: "y", scripts: { say: marks(world) } }));
};

export const options: ExecAttack[] = [
  option("find -exec", ["find", ".", "-exec", "{MARKER}", ";"], full("find", WORDS), ["find", "a.txt"], /^0 a\.txt\n$/),
  option(
    "find with one more condition that is an action",
    ["find", ".", "-name", "a.txt", "-execdir", "{MARKER}", "{}", "+"],
    full("find", ".", "-name", { kind: "text" }),
    ["find", ".", "-name", "*.txt"],
    /^0 \.\/a\.txt\n$/,
  ),
  option(
    "find -fprintf, which writes any file",
    ["find", ".", "-fprintf", "{W}/mark", "x"],
    full("find", ".", "-name", WORDS),
    ["find", ".", "-name", "a.*"],
    /a\.txt/,
  ),
  option(
    "tar --checkpoint-action",
    ["tar", "cf", "out.tar", "--checkpoint=1", "--checkpoint-action=exec={MARKER}", "a.txt"],
    full("tar", "cf", "out.tar", FILES),
    ["tar", "cf", "out.tar", "a.txt"],
    /^0 $/,
  ),
  option(
    "tar with a program to compress by",
    ["tar", "cf", "out.tar", "-I", "{MARKER}", "a.txt"],
    full("tar", "cf", { kind: "relpath" }, FILES),
    ["tar", "cf", "other.tar", "a.txt"],
    /^0 $/,
  ),
  option(
    "tar --to-command",
    ["tar", "xf", "in.tar", "--to-command={MARKER}"],
    full("tar", "xf", FILES),
    ["tar", "xf", "in.tar", "a.txt"],
    /^0 $/,
    { lay: (world) => void run(join(world, "proj"), "tar", "cf", "in.tar", "a.txt") },
  ),
  option(
    "tar with a place on another machine, reached by a program",
    ["tar", "cf", "localhost:x.tar", "--rsh-command={MARKER}", "a.txt"],
    full("tar", "cf", WORDS),
    ["tar", "cf", "x.tar", "a.txt"],
    /^0 $/,
  ),
  option(
    "sed with a command that runs one",
    ["sed", "-n", "1e {MARKER}", "a.txt"],
    full("sed", "-n", { kind: "enum", values: ["1p", "2p"] }, FILES),
    ["sed", "-n", "1p", "a.txt"],
    /^0 one\n$/,
  ),
  option(
    "sed with another script behind the files",
    ["sed", "-n", "1p", "a.txt", "--expression=1e {MARKER}"],
    full("sed", "-n", "1p", FILES),
    ["sed", "-n", "1p", "a.txt", "a.txt"],
    /^0 one\n$/,
  ),
  option(
    "sed with a flag that runs what it made",
    ["sed", "s|.*|{MARKER}|e", "a.txt"],
    full("sed", "s|.*|{MARKER}|", FILES),
    ["sed", "s|.*|{MARKER}|", "a.txt"],
    /^0 .*marker\n$/,
  ),
  option(
    "awk with a program of the hook's",
    ["awk", 'BEGIN { system("{MARKER}") }', "a.txt"],
    full("awk", "{ print $1 }", FILES),
    ["awk", "{ print $1 }", "a.txt"],
    /^0 one\n$/,
  ),
  option(
    "awk with a program out of a file",
    ["awk", "-f", "evil.awk", "a.txt"],
    full("awk", FILES),
    ["awk", "1", "a.txt"],
    /^0 one\n$/,
    { lay: file("evil.awk", (world) => `BEGIN { print "x" | "${join(world, "marker")}" }`) },
  ),
  option(
    "npm exec",
    ["node", NPM, "exec", "--offline", "-c", "{MARKER}"],
    full("node", NPM, "run", { kind: "enum", values: ["say"] }),
    ["node", NPM, "run", "say"],
    /^0 .*said\n/s,
    { lay: NPM_PROJECT, needs: ["npm"] },
  ),
  option(
    "npm in the place of another project",
    ["node", NPM, "--prefix", "{W}/evil", "run", "say"],
    full("node", NPM, WORDS),
    ["node", NPM, "run", "say"],
    /^0 .*said\n/s,
    { lay: NPM_PROJECT, needs: ["npm"] },
  ),
  option(
    "ssh with a program for a connection, in the place of a host",
    ["ssh", "-oProxyCommand={MARKER}", "nowhere.invalid"],
    full("ssh", { kind: "text" }, { kind: "text" }),
    ["ssh", "nowhere.invalid", "-G"],
    /^0 .*hostname nowhere\.invalid\n/s,
    // Without a network it can only print what it would do.
    { works: SAYS_HOST },
  ),
  option(
    "ssh with another file of settings",
    ["ssh", "-G", "-Fevil.conf", "nowhere.invalid"],
    full("ssh", "-G", WORDS),
    ["ssh", "-G", "nowhere.invalid"],
    /^0 .*hostname nowhere\.invalid\n/s,
    { lay: file("evil.conf", (world) => `Match exec "${join(world, "marker")}"\n  User x\n`) },
  ),
  option("env with another program", ["env", "{MARKER}"], full("env", "pwd"), ["env", "pwd"], /^0 .*\/proj\n$/),
  option(
    "env that splits one text into a program and more",
    ["env", "-S{MARKER} x", "pwd"],
    full("env", { rest: "text" }),
    ["env", "X=1", "pwd"],
    /^0 .*\/proj\n$/,
  ),
  option(
    "env with another PATH to find the program by",
    ["env", "PATH={W}/bin", "pwd"],
    full("env", { kind: "enum", values: ["X=1"] }, "pwd"),
    ["env", "X=1", "pwd"],
    /^0 .*\/proj\n$/,
    {
      lay(world) {
        run(world, "mkdir", "bin");
        run(world, "cp", "marker", "bin/pwd");
      },
    },
  ),
  option(
    "xargs with a program",
    ["xargs", "-a", "a.txt", "{MARKER}"],
    full("xargs", "-a", "a.txt", { kind: "enum", values: ["echo"] }),
    ["xargs", "-a", "a.txt", "echo"],
    /^0 one\n$/,
  ),
  option(
    "make with another shell",
    ["make", "-s", "say", "SHELL={MARKER}"],
    full("make", "-s", { kind: "ref" }),
    ["make", "-s", "say"],
    /^0 said\n$/,
    { lay: file("Makefile", "say:\n\t@echo said; true\n") },
  ),
  option(
    "make --eval",
    ["make", "-s", "--eval=$(shell {MARKER})", "say"],
    full("make", "-s", WORDS),
    ["make", "-s", "say"],
    /^0 said\n$/,
    { lay: file("Makefile", "say:\n\t@echo said; true\n") },
  ),
  option(
    "sort with a program to compress by",
    ["sort", "-S", "32k", "--compress-program={MARKER}", "many.txt"],
    full("sort", "-S", "32k", "-u", FILES),
    ["sort", "-S", "32k", "-u", "many.txt"],
    /^0 some line of text\n$/,
    { lay: many },
  ),
  option(
    "split with a filter",
    ["split", "--filter={MARKER}", "a.txt"],
    full("split", FILES),
    ["split", "a.txt"],
    /^0 $/,
  ),
  option(
    "timeout with another program, and a number that is none",
    ["timeout", "--foreground", "9", "{MARKER}"],
    full("timeout", { kind: "int", max: 9 }, { kind: "enum", values: ["9", "pwd"] }),
    ["timeout", "9", "pwd"],
    /^0 .*\/proj\n$/,
  ),
];

/** npm by its own name: it is in a `node_modules` folder of the machine, wherever it is installed. */
export const npm: ExecAttack[] = [
  option(
    "npm with another shell",
    ["npm", "--script-shell={MARKER}", "run", "say"],
    full("npm", WORDS),
    ["npm", "run", "say"],
    /^0 .*said\n/s,
    { lay: NPM_PROJECT },
  ),
];
