import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { type ExecAttack, type Line, NOT_GRANTED, program, run } from "./exec-attack.ts";

type Arg = ExecGrant[number]["args"][number];
const env = (...args: Arg[]): ExecGrant => [{ program: "env", args, fullAccess: true }];

/** `env` runs its arguments: any word that reaches it is run as a program. */
const RUNS = env({ kind: "enum", values: ["pwd", "{W}/tool"] });
const PWD: ExecAttack["works"] = { line: ["env", "pwd"], gives: /^0 .*\/proj\n$/ };
const RAN_PWD = /^(0 )?.*\/proj\n$/;
const BY_NODE = (args: string) => `return cp.execFileSync("env", ${args}, { encoding: "utf8" });`;
const NO_TEXTS = /^TypeError: .*a list of texts/;
const refusedOrPwd = /^NOT_GRANTED: |^TypeError: |^(0 )?.*\/proj\n$/;

/** A disguised array, so that `env` would run the marker. */
const list = (name: string, body: string, refusal = NOT_GRANTED, more: Partial<ExecAttack> = {}): ExecAttack => ({
  name,
  line: ["env", "{MARKER}"],
  grant: RUNS,
  body,
  refusal,
  works: PWD,
  ...more,
});
/** The same through node:child_process, with a call that works there. */
const byNode = (name: string, args: string, refusal = NOT_GRANTED, near = '["pwd"]', set = ""): ExecAttack =>
  list(name, `${set}\n${BY_NODE(args)}`, refusal, { works: { body: BY_NODE(near), gives: /^.*\/proj\n$/ } });

/** Values that are not strings. */
export const values: ExecAttack[] = [
  list("an object with a toString", 'return exec("env", [{ toString: () => MARKER }]);', NO_TEXTS),
  byNode(
    "an object with a toString that changes its mind",
    '[{ toString: () => (times++ === 0 ? "pwd" : MARKER) }]',
    RAN_PWD,
    '[{ toString: () => "pwd" }]',
    "let times = 0;",
  ),
  byNode("an object with a toString that was not granted", "[{ toString: () => MARKER }]"),
  byNode("an object with another text to a template than to JSON", '[{ toJSON: () => "pwd", toString: () => MARKER }]'),
  byNode("an object that is a text by Symbol.toPrimitive", "[{ [Symbol.toPrimitive]: () => MARKER }]"),
  list("a list in the list", 'return exec("env", [[MARKER]]);', NO_TEXTS),
  byNode("a list in the list, by Node", "[[MARKER]]", NOT_GRANTED, '[["pwd"]]'),
  byNode(
    "a list in the list that joins to a granted text",
    '[Object.assign([MARKER], { join: () => "pwd" })]',
    RAN_PWD,
  ),
  list("a boxed string", 'return exec("env", [new String(MARKER)]);', NO_TEXTS),
  list("an object like a list", 'return exec("env", { 0: MARKER, length: 1 });', NO_TEXTS),
  list("a program that is an object", 'return exec({ toString: () => "env" }, [MARKER]);', /^TypeError: /),
  list("a program and its arguments as one list", 'return exec(["env", MARKER], []);', /^TypeError: /),
  list(
    "a list whose value changes at the second read",
    `let times = 0; const args: any[] = [""];
    Object.defineProperty(args, "0", { get: () => (times++ === 0 ? "pwd" : MARKER) });
    return exec("env", args);`,
    refusedOrPwd,
  ),
  list(
    "a proxy of a list",
    'let times = 0; return exec("env", new Proxy(["pwd"], { get: (to: any, key) => (key === "0" && times++ > 0 ? MARKER : to[key]) }));',
    refusedOrPwd,
  ),
  list(
    "a list whose methods return another list",
    `class Other extends Array { override map(): any { return [MARKER]; } override every() { return true; } }
    return exec("env", Other.from(["pwd"]));`,
    refusedOrPwd,
  ),
  list(
    "a list that iterates over another",
    'return exec("env", Object.assign(["pwd"], { *[Symbol.iterator]() { yield MARKER; } }));',
    refusedOrPwd,
  ),
  list(
    "a hole that a prototype fills",
    `(Array.prototype as any)[0] = MARKER;
    try { return await exec("env", new Array(1)); } finally { delete (Array.prototype as any)[0]; }`,
    NOT_GRANTED,
  ),
  list(
    "a list that changes after the call",
    'const args = ["pwd"]; const running = exec("env", args); args[0] = MARKER; args.push("x"); return running;',
    RAN_PWD,
  ),
  list(
    "methods of all arrays that return another array",
    `const { map, every, slice } = Array.prototype;
    Object.assign(Array.prototype, { map: () => [MARKER], every: () => true, slice: () => [MARKER] });
    try { return await exec("env", ["pwd"]); } finally { Object.assign(Array.prototype, { map, every, slice }); }`,
    /TypeError: exec|^NOT_GRANTED: |proj\n$/,
    { alone: true },
  ),
  list(
    "a toJSON of all strings",
    `(String.prototype as any).toJSON = () => MARKER;
    try { return await exec("env", ["pwd"]); } finally { delete (String.prototype as any).toJSON; }`,
    refusedOrPwd,
  ),
  list(
    "a direct request to the host",
    'return (globalThis as any)[Symbol.for("cordon.host")].sync("exec", ["env", [MARKER], {}]);',
  ),
  list(
    "a direct request to the host, with a list in the list",
    'return (globalThis as any)[Symbol.for("cordon.host")].sync("exec", ["env", ["pwd", [MARKER]], {}]);',
    /TypeError: exec/,
    { line: ["env", "-u", "pwd", "{MARKER}"], alone: true },
  ),
];

/** A program beside the granted one, whose name looks like its name or is normalised to it. */
const lookalike = (name: string, other: string, granted = "tool"): ExecAttack => ({
  name: `a granted name with ${name}`,
  line: ["env", `{W}/${other.replace("\ud800", "\ufffd")}`],
  grant: env({ kind: "enum", values: [`{W}/${granted}`] }),
  body: `return exec("env", [W + ${JSON.stringify(`/${other}`)}]);`,
  lay(world) {
    copyFileSync(join(world, "marker"), join(world, other.replace("\ud800", "\ufffd")));
    program(join(world, granted), "echo honest");
  },
  refusal: NOT_GRANTED,
  works: { line: ["env", `{W}/${granted}`], gives: /^0 honest\n$/ },
});

export const letters: ExecAttack[] = [
  lookalike("a letter of another alphabet", "t\u043eol"),
  lookalike("an accent that is a character of its own", "cafe\u0301", "caf\u00e9"),
  lookalike("a character that cannot be seen", "to\u200bol"),
  lookalike("the direction that it is written in", "\u202eloot\u202c"),
  lookalike("half of a character, which becomes another", "to\ud800", "to"),
  lookalike("a letter that is the same in lower case", "\u212aeys", "keys"),
  lookalike("wide letters", "\uff54ool"),
  lookalike("a blank at the end", "tool "),
];

const SPLIT = "IFS=$(printf '\\r'); env -u $0 pwd";

/** Characters that end an argument, a line or a command for its reader. */
export const ends: ExecAttack[] = [
  {
    name: "a null character that would split an argument in two",
    line: ["env", "-u", "X", "{MARKER}", "pwd"],
    grant: env("-u", { kind: "text" }, "pwd"),
    body: 'return exec("env", ["-u", "X\\0" + MARKER, "pwd"]);',
    refusal: NOT_GRANTED,
    works: { line: ["env", "-u", "X", "pwd"], gives: RAN_PWD },
  },
  list("a null character that would end a granted name early", 'return exec("env", [MARKER + "\\0" + W + "/tool"]);'),
  list("a null character behind the program", 'return exec("env\\0", [MARKER]);'),
  {
    name: "a line break that starts another command of a script",
    line: ["sed", "-n", "1p\n1e {MARKER}", "a.txt"],
    grant: [{ program: "sed", args: ["-n", { kind: "enum", values: ["1p", "2p"] }, "a.txt"], fullAccess: true }],
    refusal: NOT_GRANTED,
    works: { line: ["sed", "-n", "1p", "a.txt"], gives: /^0 one\n$/ },
  },
  {
    name: "a line break in a text whose lines are run as commands",
    line: ["sh", "-c", 'echo "echo $0" > out; . ./out', "x\n{MARKER}"],
    grant: [{ program: "sh", args: ["-c", 'echo "echo $0" > out; . ./out', { kind: "text" }], fullAccess: true }],
    refusal: NOT_GRANTED,
    works: { line: ["sh", "-c", 'echo "echo $0" > out; . ./out', "x y"], gives: /^0 x y\n$/ },
  },
  {
    name: "a carriage return in a text that is split there",
    line: ["sh", "-c", SPLIT, "X\r{MARKER}"],
    grant: [{ program: "sh", args: ["-c", SPLIT, { kind: "text" }], fullAccess: true }],
    refusal: NOT_GRANTED,
    works: { line: ["sh", "-c", SPLIT, "X"], gives: RAN_PWD },
  },
  {
    name: "characters of a shell",
    line: ["echo", "$({MARKER}); {MARKER} | cat"],
    unguarded: { shell: true },
    grant: [{ program: "echo", args: [{ kind: "text" }] }],
    refusal: /^0 \$\(.*\/marker\); .*\/marker \| cat\n$/,
    works: { line: ["echo", "a b"], gives: /^0 a b\n$/ },
  },
  list("a whole command line as the program", 'return exec("env " + MARKER, []);', NOT_GRANTED, {
    line: ["env {MARKER}"],
    unguarded: { shell: true },
  }),
];

const git = (...args: Arg[]): ExecGrant => [{ program: "git", args }];
const repository = (world: string): void => {
  const at = join(world, "proj");
  run(at, "git", "init", "-q");
  run(at, "git", "add", ".");
  run(at, "git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "first");
};
/** A value for a parameter that the program would interpret as something else. */
const inPlace = (
  name: string,
  line: Line,
  grant: ExecGrant,
  near: Line,
  gives: RegExp,
  lay?: (world: string) => void,
) =>
  ({ name, line, grant, refusal: NOT_GRANTED, works: { line: near, gives }, ...(lay && { lay }) }) satisfies ExecAttack;

const OUTPUT = "--output={W}/mark";
export const places: ExecAttack[] = [
  inPlace(
    "an option for a ref",
    ["git", "log", OUTPUT],
    git("log", { kind: "ref" }),
    ["git", "log", "HEAD"],
    /first/,
    repository,
  ),
  inPlace(
    "an option for a path",
    ["git", "diff", OUTPUT],
    git("diff", { rest: "relpath" }),
    ["git", "diff", "a.txt"],
    /^0 $/,
    repository,
  ),
  inPlace(
    "an option for a text",
    ["git", "show", OUTPUT],
    git("show", { rest: "text" }),
    ["git", "show", "HEAD"],
    /first/,
    repository,
  ),
  inPlace(
    "an option for one of a list that holds it by mistake",
    ["git", "show", OUTPUT],
    git("show", { kind: "enum", values: [OUTPUT, "HEAD"] }),
    ["git", "show", "HEAD"],
    /first/,
    repository,
  ),
  inPlace("one more argument", ["env", "X=1", "{MARKER}", "pwd"], env("X=1", "pwd"), ["env", "X=1", "pwd"], RAN_PWD),
  inPlace("one argument too few", ["env", "{MARKER}"], env("X=1", { kind: "relpath" }), ["env", "X=1", "pwd"], RAN_PWD),
  inPlace(
    "a path with .. for one below the project",
    ["env", "../marker"],
    env({ kind: "relpath" }),
    ["env", "pwd"],
    RAN_PWD,
  ),
  inPlace(
    "an absolute path for one below the project",
    ["env", "{MARKER}"],
    env({ kind: "relpath" }),
    ["env", "pwd"],
    RAN_PWD,
  ),
  {
    name: "a file of options instead of a path",
    grant: [{ program: "gcc", args: ["-E", "-P", { kind: "relpath" }], fullAccess: true }],
    line: ["gcc", "-E", "-P", "@evil"],
    lay(world) {
      writeFileSync(join(world, "proj", "evil"), `-wrapper ${join(world, "marker")} -E a.c`);
      writeFileSync(join(world, "proj", "a.c"), "one\n");
    },
    refusal: NOT_GRANTED,
    works: { line: ["gcc", "-E", "-P", "a.c"], gives: /^0 one\n$/ },
  },
  inPlace(
    "a command of an editor for a file",
    ["vim", "-Nes", "-u", "NONE", "+!{MARKER}", "-c", "%p", "-c", "qa!"],
    [{ program: "vim", args: ["-Nes", "-u", "NONE", { kind: "relpath" }, "-c", "%p", "-c", "qa!"], fullAccess: true }],
    ["vim", "-Nes", "-u", "NONE", "a.txt", "-c", "%p", "-c", "qa!"],
    /^0 one/,
  ),
];
