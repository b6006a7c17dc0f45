import { expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { agentStart, hook, turnStart } from "./events.ts";
import type { Capabilities, Step } from "./scenario.ts";

/** Runs commands in turn and shows each result completely, by the sorted names of its fields. */
const running = (...calls: string[]): string =>
  hook(
    calls.map((call, index) => [
      "turn_start",
      `if (event.turnIndex !== ${index}) return; const result = await ${call}; ctx.ui.notify(JSON.stringify(Object.entries(result).sort()), "info");`,
    ]),
  );
const turns = (count: number): Step[] => Array.from({ length: count }, (_, index) => ({ emit: turnStart(index) }));

const any = (program: string, ...args: NonNullable<Capabilities["exec"]>[number]["args"]) => ({
  program,
  args,
  fullAccess: true,
});
const SH = any("sh", "-c", { kind: "text" });

interface Probe {
  name: string;
  calls: string[];
  exec: NonNullable<Capabilities["exec"]>;
  reaches: string;
}
const PROBES: Probe[] = [
  {
    name: "standard output, standard error and exit code",
    calls: [
      'ctx.exec("sh", ["-c", "echo out; echo err >&2; exit 3"])',
      'ctx.exec("sh", ["-c", "exit 0"])',
      'ctx.exec("false", [])',
    ],
    exec: [SH, { program: "false", args: [] }],
    reaches: '[["code",3],["killed",false],["stderr","err\\n"],["stdout","out\\n"]]',
  },
  {
    name: "git in the session's folder",
    calls: [
      'ctx.exec("git", ["rev-parse", "HEAD"])',
      'ctx.exec("git", ["rev-parse", "--verify", "-q", "nowhere"])',
      'ctx.exec("git", ["log", "--format=%s"])',
      'ctx.exec("pwd", [])',
    ],
    exec: [
      { program: "git", args: ["rev-parse", "HEAD"] },
      { program: "git", args: ["rev-parse", "--verify", "-q", "nowhere"] },
      { program: "git", args: ["log", "--format=%s"] },
      { program: "pwd", args: [] },
    ],
    reaches: '[["code",0],["killed",false],["stderr",""],["stdout","<cwd>\\n"]]',
  },
  {
    name: "a command that changes the work tree",
    calls: [
      'ctx.exec("sh", ["-c", "echo changed > kept.txt"])',
      'ctx.exec("git", ["add", "-A"])',
      'ctx.exec("git", ["commit", "-q", "-m", "by a hook"])',
    ],
    exec: [
      SH,
      { program: "git", args: ["add", "-A"] },
      { program: "git", args: ["commit", "-q", "-m", { kind: "text" }] },
    ],
    reaches: '[["code",0],["killed",false],["stderr",""],["stdout",""]]',
  },
  {
    name: "arguments arrive as they are, without a shell",
    calls: ['ctx.exec("printf", ["%s|", "a b", "$HOME", "*", "`x`", "ü → 🙂", ""])'],
    exec: [any("printf", "%s|", { rest: "text" })],
    reaches: '["stdout","a b|$HOME|*|`x`|ü → 🙂||"]',
  },
  {
    name: "more output than a pipe holds",
    calls: [
      'ctx.exec("sh", ["-c", "head -c 300000 /dev/zero | tr \'\\\\\\\\0\' x"]).then(({ stdout, ...rest }: any) => ({ ...rest, length: stdout.length }))',
    ],
    exec: [SH],
    reaches: '["length",300000]',
  },
  {
    name: "several commands at once",
    calls: [
      'Promise.all([1, 2, 3].map((n) => ctx.exec("sh", ["-c", `echo ${n}; exit ${n}`]))).then((all: any) => Object.fromEntries(all.map((r: any, i: number) => [i, [r.stdout, r.code]])))',
    ],
    exec: [SH],
    reaches: '[["0",["1\\n",1]],["1",["2\\n",2]],["2",["3\\n",3]]]',
  },
  {
    name: "a timeout that is not reached, and one of 0",
    calls: [
      'ctx.exec("echo", ["x"], { timeout: 60000 })',
      'ctx.exec("echo", ["x"], { timeout: 0 })',
      'ctx.exec("echo", ["x"], {})',
      'ctx.exec("echo", ["x"], { signal: new AbortController().signal })',
    ],
    exec: [{ program: "echo", args: ["x"] }],
    reaches: '["stdout","x\\n"]',
  },
];

test.each(PROBES)("ctx.exec does the same in Cordon as in pi: $name", async ({ calls, exec, reaches }) => {
  const { steps } = await expectSame({
    hooks: { runner: running(...calls) },
    grant: { exec },
    script: turns(calls.length),
  });
  expect(steps.flatMap(({ errors }) => errors)).toEqual([]);
  expect(steps.flatMap(({ shown }) => shown.map(({ title }) => title)).join("\n")).toContain(reaches);
});

test("ctx.exec and dialogs in one event run in the hook's order", async () => {
  const { steps } = await expectSame({
    hooks: {
      careful: hook([
        [
          "agent_start",
          `
            const { stdout } = await ctx.exec("git", ["ls-files"]);
            if (await ctx.ui.confirm("Delete?", stdout)) await ctx.exec("git", ["checkout", "-q", "-b", "side"]);
            ctx.ui.notify((await ctx.exec("git", ["branch", "--show-current"])).stdout, "info");`,
        ],
      ]),
    },
    grant: {
      exec: [
        { program: "git", args: ["ls-files"] },
        { program: "git", args: ["checkout", "-q", "-b", "side"] },
        { program: "git", args: ["branch", "--show-current"] },
      ],
    },
    answers: () => true,
    script: [{ emit: agentStart }],
  });
  expect(steps[0]?.shown.map(({ title }) => title)).toEqual(["Delete?", "side\n"]);
});
