import { chmodSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../support/session.ts";
import { agentStart, emits, on, turnStart } from "../events.ts";
import type { Step } from "../scenario.ts";
import { type Difference, running, shell, titles } from "./difference.ts";

/** The user's work tree gets a program. */
const plant = (path: string, script: string): Step => ({
  act: ({ cwd }) => {
    writeFiles(cwd, { [path]: `#!/bin/sh\n${script}\n` });
    chmodSync(join(cwd, path), 0o755);
  },
});
const KILLED = "a killed command has `killed: true`, in pi with code 0, which is a bug; Cordon gives 137 or 143";
const SLEEP = { exec: [{ program: "sleep", args: ["600"], fullAccess: true }] };

// biome-ignore format: a table
export const CONTEXT: Difference[] = [
  { claim: "a command that its timeout ends", rule: KILLED,
    hooks: { runner: running('ctx.exec("sleep", ["600"], { timeout: 200 })') }, grant: SLEEP, script: emits(agentStart),
    see: titles,
    pi: ['["",0,true]'], cordon: ['["",143,true]'] },
  { claim: "a command that the hook's signal ends, or prevents from starting", rule: KILLED,
    hooks: { runner: on("turn_start", `
      const stop = new AbortController();
      if (event.turnIndex === 1) stop.abort();
      else setTimeout(() => stop.abort(), 100);
      const { code, killed } = await ctx.exec("sleep", ["600"], { signal: stop.signal });
      ctx.ui.notify(JSON.stringify([code, killed]), "info");`) }, grant: SLEEP,
    script: emits(turnStart(0), turnStart(1)), see: titles,
    pi: ["[0,true]", "[0,true]"], cordon: ["[143,true]", "[143,true]"] },
  { claim: "a command that another process ends", rule: KILLED,
    hooks: { runner: running('ctx.exec("sh", ["-c", "kill -9 $$"])') }, grant: { exec: [shell] },
    script: emits(agentStart), see: titles,
    pi: ['["",0,false]'], cordon: ['["",137,false]'] },
  { claim: "a command that reads its standard input",
    rule: "in pi stdin stays open, so `cat` hangs; Cordon closes it",
    hooks: { runner: running('ctx.exec("cat", [], { timeout: 4000 })') },
    grant: { exec: [{ program: "cat", args: [] }] }, script: emits(agentStart), see: titles,
    pi: ['["",0,true]'], cordon: ['["",0,false]'] },
  // pi's escalation would be due 5 s after the timeout.
  { claim: "a command that ignores SIGTERM", rule: "pi's SIGKILL after SIGTERM never comes; Cordon's does",
    hooks: { runner: running(`ctx.exec("sh", ["-c", "trap '' TERM; sleep 10; echo survived"], { timeout: 1500 })`) },
    grant: { exec: [shell] }, script: emits(agentStart), see: titles,
    pi: ['["survived\\n",0,true]'], cordon: ['["",137,true]'] },
  { claim: "a missing program has a code and, in Cordon, says why",
    rule: "in pi a missing program is code 1; Cordon finds a program once, and refuses one whose real path lies inside the workspace",
    hooks: { runner: on("agent_start",
      'ctx.ui.notify(JSON.stringify(Object.entries(await ctx.exec("cordon-no-such-program", ["x"])).sort()), "info");') },
    grant: { exec: [{ program: "cordon-no-such-program", args: ["x"], fullAccess: true }] }, script: emits(agentStart),
    see: titles,
    pi: ['[["code",1],["killed",false],["stderr",""],["stdout",""]]'],
    cordon: ['[["code",1],["killed",false],["stderr","cordon-no-such-program: not found outside the workspace\\n"],["stdout",""]]'] },
  { claim: "a program of the workspace's own",
    rule: "a program is refused if any part of its real path lies inside the workspace",
    hooks: { runner: running('ctx.exec("./tool.sh", [])') },
    grant: { exec: [{ program: "./tool.sh", args: [], fullAccess: true }] },
    script: [plant("tool.sh", "echo ran"), { emit: agentStart }], see: titles,
    pi: ['["ran\\n",0,false]'], cordon: ['["",1,false]'] },
  { claim: "a repository's own git hook",
    rule: "git gets the settings that disarm a hostile repository's configuration",
    hooks: { runner: running('ctx.exec("git", ["commit", "-q", "--allow-empty", "-m", "by a hook"])') },
    grant: { exec: [{ program: "git", args: ["commit", "-q", "--allow-empty", "-m", { kind: "text" }] }] },
    script: [plant(".git/hooks/post-commit", "echo > planted.txt"), { emit: agentStart }],
    see: (trace) => [trace.steps[1]?.repository?.commits,
      Object.keys(trace.steps[1]?.repository?.files ?? {}).includes("planted.txt")],
    pi: [["by a hook", "first"], true], cordon: [["by a hook", "first"], false] },
  { claim: "the agent's environment in a command",
    rule: "a program has an environment of its own, and is killed as a process group",
    hooks: { runner: running('ctx.exec("sh", ["-c", "echo $VITEST"])') }, grant: { exec: [shell] },
    script: emits(agentStart), see: titles,
    pi: ['["true\\n",0,false]'], cordon: ['["\\n",0,false]'] },
  { claim: "a command, a dialog and a message without the right to them",
    rule: "what is not granted is `NOT_GRANTED`",
    hooks: { greedy: on("agent_start", 'pi.send("x");', 'await ctx.exec("git", ["log", "--format=%s"]);',
      'await ctx.ui.input("Name");') },
    grant: { exec: [{ program: "git", args: ["log"] }], ui: ["notify"], send: undefined as never }, hasUI: false,
    script: emits(agentStart),
    see: (trace) => [trace.steps[0]?.sent.length,
      new Set(trace.steps[0]?.errors.map(({ error }) => /not granted (\w+)/.exec(error)?.[1]))],
    pi: [1, new Set()], cordon: [0, new Set(["send", "exec", "ui"])] },
  { claim: "control characters in dialogs",
    rule: "Cordon puts the hook's name before each dialog's title, keeps newline and tab and drops other control characters",
    hooks: { painter: on("agent_start", `
      ctx.ui.notify("a\\u001b[31mred\\u001b[0m\\u0007\\n\\tb\\u202ec", "info");
      await ctx.ui.confirm("x\\u0000y", "a\\u001b]0;t\\u0007b");`) }, script: emits(agentStart),
    see: (trace) => trace.steps[0]?.shown.map(({ title, rest }) => [title, rest]),
    pi: [["a\u001b[31mred\u001b[0m\u0007\n\tb\u202ec", "info"], ["x\u0000y", "a\u001b]0;t\u0007b"]],
    cordon: [["ared\n\tbc", "info"], ["xy", "ab"]] },
  { claim: "an answer that is not one of the options",
    rule: "the answer returned is the hook's own original option",
    hooks: { asker: on("agent_start",
      'ctx.ui.notify(JSON.stringify(await ctx.ui.select("Pick", ["a", "b"])), "info");') }, answers: () => "c",
    script: emits(agentStart), see: (trace) => titles(trace).slice(1),
    pi: ['"c"'], cordon: ["null"] },
];
