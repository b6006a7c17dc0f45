import { chmodSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../support/session.ts";
import { agentStart, hook, turnStart } from "../events.ts";
import { type Difference, on, running, shell, titles } from "./difference.ts";

export const CONTEXT: Difference[] = [
  {
    rule: "NOTES, ctx: killed → `killed: true` (and code 0, a bug: *Cordon gives 137/143*)",
    scenario: {
      name: "a command that its timeout ended",
      hooks: { runner: running('ctx.exec("sleep", ["600"], { timeout: 200 })') },
      grant: { exec: [{ program: "sleep", args: ["600"], fullAccess: true }] },
      script: [{ emit: agentStart }],
    },
    see: titles,
    pi: ['["",0,true]'],
    cordon: ['["",143,true]'],
  },
  {
    rule: "NOTES, ctx: killed → `killed: true` (and code 0, a bug: *Cordon gives 137/143*)",
    scenario: {
      name: "a command that the hook's signal ended, or that was not to start",
      hooks: {
        runner: hook([
          [
            "turn_start",
            `
              const stop = new AbortController();
              if (event.turnIndex === 1) stop.abort();
              else setTimeout(() => stop.abort(), 100);
              const { code, killed } = await ctx.exec("sleep", ["600"], { signal: stop.signal });
              ctx.ui.notify(JSON.stringify([code, killed]), "info");`,
          ],
        ]),
      },
      grant: { exec: [{ program: "sleep", args: ["600"], fullAccess: true }] },
      script: [{ emit: turnStart(0) }, { emit: turnStart(1) }],
    },
    see: titles,
    pi: ["[0,true]", "[0,true]"],
    cordon: ["[143,true]", "[143,true]"],
  },
  {
    rule: "NOTES, ctx: killed → `killed: true` (and code 0, a bug: *Cordon gives 137/143*)",
    scenario: {
      name: "a command that somebody else ended",
      hooks: { runner: running('ctx.exec("sh", ["-c", "kill -9 $$"])') },
      grant: { exec: [shell] },
      script: [{ emit: agentStart }],
    },
    see: titles,
    pi: ['["",0,false]'],
    cordon: ['["",137,false]'],
  },
  {
    rule: "NOTES, ctx: stdin stays open so `cat` hangs (*Cordon closes stdin*)",
    scenario: {
      name: "a command that reads its standard input",
      hooks: { runner: running('ctx.exec("cat", [], { timeout: 4000 })') },
      grant: { exec: [{ program: "cat", args: [] }] },
      script: [{ emit: agentStart }],
    },
    see: titles,
    pi: ['["",0,true]'],
    cordon: ['["",0,false]'],
  },
  {
    rule: "NOTES, ctx: SIGKILL escalation never fires (*ours does*)",
    scenario: {
      name: "a command that ignores SIGTERM",
      // pi's escalation would be due 5 s after the timeout.
      hooks: { runner: running(`ctx.exec("sh", ["-c", "trap '' TERM; sleep 10; echo survived"], { timeout: 1500 })`) },
      grant: { exec: [shell] },
      script: [{ emit: agentStart }],
    },
    see: titles,
    pi: ['["survived\\n",0,true]'],
    cordon: ['["",137,true]'],
  },
  {
    rule: "NOTES, ctx: missing program → code 1; DESIGN, exec: the program found once and stored as an absolute path, at spawn refused if any part of its real path lies inside the workspace",
    scenario: {
      name: "a missing program has a code and, in Cordon, says why",
      hooks: {
        runner: on(
          "agent_start",
          'ctx.ui.notify(JSON.stringify(Object.entries(await ctx.exec("cordon-no-such-program", ["x"])).sort()), "info");',
        ),
      },
      grant: { exec: [{ program: "cordon-no-such-program", args: ["x"], fullAccess: true }] },
      script: [{ emit: agentStart }],
    },
    see: titles,
    pi: ['[["code",1],["killed",false],["stderr",""],["stdout",""]]'],
    cordon: [
      '[["code",1],["killed",false],["stderr","cordon-no-such-program: not found outside the workspace\\n"],["stdout",""]]',
    ],
  },
  {
    rule: "DESIGN, exec: at spawn refused if any part of its real path lies inside the workspace",
    scenario: {
      name: "a program of the workspace's own",
      hooks: { runner: running('ctx.exec("./tool.sh", [])') },
      grant: { exec: [{ program: "./tool.sh", args: [], fullAccess: true }] },
      script: [
        {
          act: ({ cwd }) => {
            writeFiles(cwd, { "tool.sh": "#!/bin/sh\necho ran\n" });
            chmodSync(join(cwd, "tool.sh"), 0o755);
          },
        },
        { emit: agentStart },
      ],
    },
    see: titles,
    pi: ['["ran\\n",0,false]'],
    cordon: ['["",1,false]'],
  },
  {
    rule: "DESIGN, exec: git gets the overrides that disarm a hostile repository configuration",
    scenario: {
      name: "a repository's own git hook",
      hooks: { runner: running('ctx.exec("git", ["commit", "-q", "--allow-empty", "-m", "by a hook"])') },
      grant: { exec: [{ program: "git", args: ["commit", "-q", "--allow-empty", "-m", { kind: "text" }] }] },
      script: [
        {
          act: ({ cwd }) => {
            writeFiles(cwd, { ".git/hooks/post-commit": "#!/bin/sh\necho > planted.txt\n" });
            chmodSync(join(cwd, ".git/hooks/post-commit"), 0o755);
          },
        },
        { emit: agentStart },
      ],
    },
    see: (trace) => [
      trace.steps[1]?.repository?.commits,
      Object.keys(trace.steps[1]?.repository?.files ?? {}).includes("planted.txt"),
    ],
    pi: [["by a hook", "first"], true],
    cordon: [["by a hook", "first"], false],
  },
  {
    rule: "DESIGN, exec: complete, null-prototype environment; killed as a process group",
    scenario: {
      name: "the agent's environment in a command",
      hooks: { runner: running('ctx.exec("sh", ["-c", "echo $VITEST"])') },
      grant: { exec: [shell] },
      script: [{ emit: agentStart }],
    },
    see: titles,
    pi: ['["true\\n",0,false]'],
    cordon: ['["\\n",0,false]'],
  },
  {
    rule: "issue, 4: Everything else is `NOT_GRANTED`.",
    scenario: {
      name: "a command, a dialog and a message without the right to them",
      hooks: {
        greedy: on(
          "agent_start",
          'pi.send("x");',
          'await ctx.exec("git", ["log", "--format=%s"]);',
          'await ctx.ui.input("Name");',
        ),
      },
      grant: { exec: [{ program: "git", args: ["log"] }], ui: ["notify"], send: undefined as never },
      hasUI: false,
      script: [{ emit: agentStart }],
    },
    see: (trace) => [
      trace.steps[0]?.sent.length,
      new Set(trace.steps[0]?.errors.map(({ error }) => /not granted (\w+)/.exec(error)?.[1])),
    ],
    pi: [1, new Set()],
    cordon: [0, new Set(["send", "exec", "ui"])],
  },
  {
    rule: "NOTES, ctx: *Cordon puts the hook's name before each dialog's title, keeps newline and tab and drops other control characters*",
    scenario: {
      name: "control characters in dialogs",
      hooks: {
        painter: on(
          "agent_start",
          `
            ctx.ui.notify("a\\u001b[31mred\\u001b[0m\\u0007\\n\\tb\\u202ec", "info");
            await ctx.ui.confirm("x\\u0000y", "a\\u001b]0;t\\u0007b");`,
        ),
      },
      script: [{ emit: agentStart }],
    },
    see: (trace) => trace.steps[0]?.shown.map(({ title, rest }) => [title, rest]),
    pi: [
      ["a\u001b[31mred\u001b[0m\u0007\n\tb\u202ec", "info"],
      ["x\u0000y", "a\u001b]0;t\u0007b"],
    ],
    cordon: [
      ["ared\n\tbc", "info"],
      ["xy", "ab"],
    ],
  },
  {
    rule: "DESIGN, ui: the answer returned is the hook's own original option",
    scenario: {
      name: "an answer that is none of the options",
      hooks: {
        asker: on("agent_start", 'ctx.ui.notify(JSON.stringify(await ctx.ui.select("Pick", ["a", "b"])), "info");'),
      },
      answers: () => "c",
      script: [{ emit: agentStart }],
    },
    see: (trace) => titles(trace).slice(1),
    pi: ['"c"'],
    cordon: ["null"],
  },
];
