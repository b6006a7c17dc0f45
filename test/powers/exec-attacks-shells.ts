import { join } from "node:path";
import { type ExecAttack, run } from "./exec-attack.ts";
import { entry, traps } from "./exec-attacks-environment.ts";
import { repository } from "./exec-attacks-git.ts";

const noShell = /^ERR_FEATURE_UNAVAILABLE_ON_PLATFORM: .*shell/;
/** A shell is one that the grant would have to name. */
const shellNotGranted = /^NOT_GRANTED: .*exec: sh -c /;
/** Ways of node:child_process to a shell or another folder. */
const way = (name: string, body: string, refusal = noShell, more: Partial<ExecAttack> = {}): ExecAttack => ({
  name,
  line: ["echo", "x; {MARKER}"],
  unguarded: { shell: true },
  grant: [{ program: "echo", args: [{ kind: "text" }] }],
  body,
  refusal,
  works: { body: 'return cp.execFileSync("echo", ["x; y"], { encoding: "utf8" });', gives: /^x; y\n$/ },
  ...more,
});

export const ways: ExecAttack[] = [
  way("execSync", 'return cp.execSync("echo x; " + MARKER, { encoding: "utf8" });', shellNotGranted),
  way("execSync of two lines", 'return cp.execSync("echo x\\n" + MARKER, { encoding: "utf8" });', shellNotGranted),
  way(
    "execSync of a substitution",
    'return cp.execSync("echo $(" + MARKER + ")", { encoding: "utf8" });',
    shellNotGranted,
  ),
  way(
    "execSync of a substitution in quotes",
    "return cp.execSync('echo \"`' + MARKER + '`\"', { encoding: 'utf8' });",
    shellNotGranted,
  ),
  way(
    "execSync of another program",
    'return cp.execSync(MARKER, { encoding: "utf8" });',
    /^NOT_GRANTED: .*exec: .*marker/,
  ),
  way("execSync with a variable before", 'return cp.execSync("A=1 " + MARKER, { encoding: "utf8" });', shellNotGranted),
  way(
    "execSync with a word of the shell's own",
    'return cp.execSync("exec " + MARKER, { encoding: "utf8" });',
    shellNotGranted,
  ),
  way(
    "exec",
    'return new Promise((done, fail) => cp.exec("echo x; " + MARKER, (error: any) => (error ? fail(error) : done("ran"))));',
    shellNotGranted,
  ),
  way(
    "execFile with a shell",
    'return cp.execFileSync("echo", ["x; " + MARKER], { shell: true, encoding: "utf8" });',
    shellNotGranted,
  ),
  way(
    "spawn with a shell of the hook's choice",
    'return cp.spawnSync("echo", ["x; " + MARKER], { shell: MARKER, encoding: "utf8" });',
  ),
  way(
    "a shell in all prototypes",
    `(Object.prototype as any).shell = true;
    try { return cp.execFileSync("echo", ["x; " + MARKER], { encoding: "utf8" }); } finally { delete (Object.prototype as any).shell; }`,
    /^NOT_GRANTED: .*exec: sh -c |^x; .*marker\n$/,
  ),
  way(
    "another name for the program than its own",
    'return cp.execFileSync("echo", ["x"], { argv0: MARKER, shell: MARKER, encoding: "utf8" });',
  ),
  way(
    "a script as a process of Node's own",
    'return cp.fork(W + "/evil.cjs");',
    /^ERR_FEATURE_UNAVAILABLE_ON_PLATFORM: .*fork/,
    { lay: traps, line: ["node", "{W}/evil.cjs"], unguarded: {} },
  ),
  way(
    "another working directory, whose repository runs a program",
    'return cp.execFileSync("git", ["status", "--short"], { cwd: W + "/evil", encoding: "utf8" });',
    /^NOT_GRANTED: .*exec: git status --short \(in .*\/evil\)/,
    {
      lay(world) {
        repository(world);
        run(world, "cp", "-r", "proj", "evil");
        run(join(world, "evil"), "git", "config", "core.fsmonitor", join(world, "marker"));
      },
      line: ["git", "status", "--short"],
      unguarded: { cwd: "{W}/evil" },
      grant: [{ program: "git", args: ["status", "--short"] }],
      works: {
        body: 'return cp.execFileSync("git", ["status", "--short"], { cwd: process.cwd(), encoding: "utf8" });',
        gives: /^ M a\.txt\n$/,
      },
    },
  ),
  way(
    "a script on standard input",
    'return cp.execFileSync("sh", ["-s"], { input: MARKER, encoding: "utf8" });',
    /^NOT_GRANTED: .*exec: sh -s \(writing to its standard input\)/,
    {
      line: ["sh", "-s", "<", "{W}/evil.sh"],
      lay: traps,
      grant: entry(["sh", "-s"]),
      works: { grant: entry(["sh", "-c", "cat; echo end"]), line: ["sh", "-c", "cat; echo end"], gives: /^0 end\n$/ },
    },
  ),
];
