import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { type ExecAttack, type Line, run } from "./exec-attack.ts";
import { repository } from "./exec-attacks-git.ts";

/** With the word `fullAccess` if the grant needs it. */
export const entry = ([name, ...args]: Line, env?: Record<string, string>): ExecGrant => [
  { program: name, args, ...(!["git", "date"].includes(name) && { fullAccess: true }), ...(env && { env }) },
];

/** A library that runs the marker when it is loaded, and when it converts characters. */
const LIBRARY = `#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((constructor)) static void start(void) {
  unsetenv("LD_PRELOAD");
  if (fork() == 0) { execl(MARKER, MARKER, (char *)0); _exit(1); }
  wait(0);
}
int gconv(void) { return 0; }
int gconv_init(void *step) { return 1; }
`;

/** Files that a program loads when its environment says so. */
export function traps(world: string): void {
  const marker = join(world, "marker");
  writeFileSync(join(world, "evil.sh"), `'${marker}'\n`);
  writeFileSync(join(world, "evil.cjs"), `require("node:child_process").spawnSync(${JSON.stringify(marker)});`);
  writeFileSync(join(world, "evil.pm"), `system("${marker}"); 1;`);
  writeFileSync(join(world, "evil.mk"), `$(shell ${marker})\n`);
  repository(world);
}
function library(world: string): void {
  writeFileSync(join(world, "evil.c"), LIBRARY);
  writeFileSync(join(world, "gconv-modules"), "module EVIL// INTERNAL evil 1\nmodule INTERNAL EVIL// evil 1\n");
  run(world, "gcc", "-shared", "-fPIC", `-DMARKER="${join(world, "marker")}"`, "-o", "evil.so", "evil.c");
}

interface Way {
  name: string;
  env: Record<string, string>;
  line: Line;
  /** Its output when the variable does not reach it. */
  says: RegExp;
  lay?(world: string): void;
  needs?: string[];
}

/** Variables by which a program loads or runs something else. */
const LOADERS: Way[] = [
  { name: "BASH_ENV", env: { BASH_ENV: "{W}/evil.sh" }, line: ["bash", "-c", "echo x"], says: /^0 x\n$/ },
  { name: "ENV", env: { ENV: "{W}/evil.sh" }, line: ["sh", "-ic", "echo x"], says: /^0 x\n/ },
  { name: "NODE_OPTIONS", env: { NODE_OPTIONS: "--require={W}/evil.cjs" }, line: ["node", "-p", "1"], says: /^0 1\n$/ },
  { name: "PERL5OPT", env: { PERL5OPT: "-I{W} -Mevil" }, line: ["perl", "-e", "print 1"], says: /^0 1$/ },
  { name: "GIT_EXTERNAL_DIFF", env: { GIT_EXTERNAL_DIFF: "{MARKER}" }, line: ["git", "diff"], says: /^0 .*\+two\n$/s },
  {
    name: "GIT_CONFIG_COUNT",
    env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: "{MARKER}" },
    line: ["git", "status", "--short"],
    says: /^0 {2}M a\.txt\n$/,
  },
  {
    name: "GIT_CONFIG_PARAMETERS",
    env: { GIT_CONFIG_PARAMETERS: "'core.fsmonitor={MARKER}'" },
    line: ["git", "status", "--short"],
    says: /^0 {2}M a\.txt\n$/,
  },
  {
    name: "LD_PRELOAD",
    env: { LD_PRELOAD: "{W}/evil.so" },
    line: ["date", "+x"],
    says: /^0 x\n$/,
    lay: library,
    needs: ["gcc"],
  },
];

/** The C library loads its character converters from there, also for git, which needs no word. */
const LETTERS: Way = {
  name: "GCONV_PATH",
  env: { GCONV_PATH: "{W}" },
  line: ["git", "log", "-1", "--format=%s", "--encoding=EVIL"],
  says: /^0 second\n$/,
  lay: library,
  needs: ["gcc"],
};

/** Variables of programs that grants do not know by name: only the agent's environment has them. */
const OTHERS: Way[] = [
  {
    name: "TAR_OPTIONS",
    env: { TAR_OPTIONS: "--checkpoint=1 --checkpoint-action=exec={MARKER}" },
    line: ["tar", "cf", "out.tar", "a.txt"],
    says: /^0 $/,
  },
  {
    name: "MAKEFILES",
    env: { MAKEFILES: "{W}/evil.mk" },
    line: ["make", "-s", "say"],
    says: /^0 said\n$/,
    lay: (world) => writeFileSync(join(world, "proj", "Makefile"), "say:\n\t@echo said; true\n"),
  },
  {
    name: "a function of bash",
    env: { "BASH_FUNC_pwd%%": "() { {MARKER}; }" },
    line: ["bash", "-c", "pwd"],
    says: /^0 .*\/proj\n$/,
  },
  {
    name: "GIT_EDITOR and EDITOR",
    env: { GIT_EDITOR: "{MARKER}", EDITOR: "{MARKER}" },
    line: ["git", "commit", "-a"],
    says: /^1 .*problem with the editor/s,
  },
];

/** All variables at once. */
const AGENTS = Object.assign({ TZ: "XYZ5" }, ...[...LOADERS, ...OTHERS, LETTERS].map(({ env }) => env));

/** Variables of the agent's environment that a project's own file may have set. TZ is a name that is kept. */
export const agents: ExecAttack[] = [...LOADERS, ...OTHERS, LETTERS].map(
  ({ name, env, line, says, lay, needs = [] }) => ({
    name: `${name} in the agent's environment`,
    needs,
    env: AGENTS,
    unguarded: { env },
    line,
    grant: entry(line),
    lay(world) {
      traps(world);
      lay?.(world);
    },
    refusal: says,
    works: { grant: entry(["date", "+%Z"]), line: ["date", "+%Z"], gives: /^0 XYZ\n$/ },
  }),
);

const FORBIDDEN = /^BAD_GRANT: .*the environment of \w+ may not set /;
const OWN = ["sh", "-c", "echo $MY_OWN"] as const;

/** The same in a grant, which may set variables of its own. */
const inGrant = ({ name, env, line, lay, needs = [] }: Omit<Way, "says">): ExecAttack => ({
  name: `${name} in a grant's environment`,
  needs,
  line,
  unguarded: { env },
  grant: entry(line, env),
  lay(world) {
    traps(world);
    lay?.(world);
  },
  refusal: FORBIDDEN,
  works: { grant: entry(OWN, { MY_OWN: "mine" }), line: OWN, gives: /^0 mine\n$/ },
});
const PATH: Omit<Way, "says"> = {
  name: "PATH",
  env: { PATH: `{W}/bin:${process.env.PATH}` },
  line: ["env", "pwd"],
  lay(world) {
    run(world, "mkdir", "bin");
    run(world, "cp", "marker", "bin/pwd");
  },
};
export const granted: ExecAttack[] = [...LOADERS, PATH].map(inGrant);
export const grantedLetters: ExecAttack[] = [inGrant(LETTERS)];

/** A variable that a hook sets itself: it reaches no program, in any way. */
const given = (name: string, body: string): ExecAttack => ({
  name,
  line: ["git", "diff"],
  unguarded: { env: { GIT_EXTERNAL_DIFF: "{MARKER}" } },
  grant: [{ program: "git", args: ["diff"] }],
  lay: traps,
  body,
  refusal: /^(0 )?diff --git .*\+two\n$|^TypeError: |ERR_FEATURE_UNAVAILABLE/s,
  works: { line: ["git", "diff"], gives: /^0 .*\+two\n$/s },
});
const EVIL = "{ GIT_EXTERNAL_DIFF: MARKER }";

export const hooks: ExecAttack[] = [
  given("an environment in the options of ctx.exec", `return exec("git", ["diff"], { env: ${EVIL} });`),
  given(
    "an environment in the options of execFile",
    `return cp.execFileSync("git", ["diff"], { env: ${EVIL}, encoding: "utf8" });`,
  ),
  given(
    "an environment in the options' prototype",
    `return cp.execFileSync("git", ["diff"], Object.assign(Object.create({ env: ${EVIL} }), { encoding: "utf8" }));`,
  ),
  given(
    "an environment in all prototypes",
    `(Object.prototype as any).env = ${EVIL};
    try { return await exec("git", ["diff"]); } finally { delete (Object.prototype as any).env; }`,
  ),
  given("the hook's own process.env", `Object.assign(process.env, ${EVIL}); return exec("git", ["diff"]);`),
  {
    ...given(
      "an environment in a direct request to the host",
      `return (globalThis as any)[Symbol.for("cordon.host")].sync("exec", ["git", ["diff"], { env: ${EVIL} }]);`,
    ),
    refusal: /TypeError: exec/,
    alone: true,
  },
  {
    ...given("a PATH of the hook's own", 'process.env.PATH = W + "/bin"; return exec("env", ["pwd"]);'),
    line: ["env", "pwd"],
    unguarded: { env: { PATH: `{W}/bin:${process.env.PATH}` } },
    grant: entry(["env", "pwd"]),
    lay(world) {
      run(world, "mkdir", "bin");
      run(world, "cp", "marker", "bin/pwd");
    },
    refusal: /^0 .*\/proj\n$/,
    works: { line: ["env", "pwd"], gives: /^0 .*\/proj\n$/ },
  },
];
