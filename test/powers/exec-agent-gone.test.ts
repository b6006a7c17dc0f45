import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { programWatch } from "../../src/powers/program-watch.ts";
import { isAlive, watchersOf } from "../sandbox/proc.ts";
import { runHost } from "../sandbox/run-host.ts";
import { onToolCall, temporaryFolder } from "../support/session.ts";
import { SHELL, startRunner } from "./exec-facts.ts";

/** Programs that write their processes' ids to a file, one per line, and would run for long. */
const PROGRAMS: Record<string, (file: string) => string> = {
  "that sleeps": (file) => `echo $$ >> ${file}; exec sleep 600`,
  "that started others": (file) =>
    `sleep 600 & echo $! >> ${file}; (sleep 600 & echo $! >> ${file}); echo $$ >> ${file}; wait`,
  "that ignores every signal it can": (file) =>
    `trap "" HUP INT QUIT TERM PIPE; echo $$ >> ${file}; while :; do sleep 1; done`,
  "that closed all its descriptors": (file) => `echo $$ >> ${file}; exec >&- 2>&- 3>&- 4>&-; while :; do sleep 1; done`,
};

const pidsIn = (file: string): number[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean).map(Number) : [];

test.each(Object.entries(PROGRAMS))("a program %s ends with an agent that gets SIGKILL", async (_name, program) => {
  const file = join(temporaryFolder(), "pids");
  const source = onToolCall(`await ctx.exec("sh", ["-c", ${JSON.stringify(program(file))}]);`);
  const { host, pids } = await running(source, file, program(file).split(">>").length - 1);
  onTestFinished(() => pids.forEach(kill));
  process.kill(host.pid, "SIGKILL");
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

test("several programs at once end with it, too", async () => {
  const file = join(temporaryFolder(), "pids");
  const source = onToolCall(
    `await Promise.all([1, 2, 3, 4, 5].map(() => ctx.exec("sh", ["-c", "echo $$ >> ${file}; exec sleep 600"])));`,
  );
  const { host, pids } = await running(source, file, 5);
  onTestFinished(() => pids.forEach(kill));
  process.kill(host.pid, "SIGKILL");
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

test("a killed watcher is replaced, and the programs are watched again", async () => {
  const file = join(temporaryFolder(), "pids");
  const source = onToolCall(`await ctx.exec("sh", ["-c", "echo $$ >> ${file}; exec sleep 600"]);`);
  const { host, pids } = await running(source, file, 1);
  onTestFinished(() => pids.forEach(kill));
  const [first] = watchersOf(host.pid);
  expect(first).toBeDefined();
  kill(first as number);
  await expect.poll(() => watchersOf(host.pid).filter((pid) => pid !== first)).toHaveLength(1);
  await delay(100);
  process.kill(host.pid, "SIGKILL");
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

test("programs that follow each other have one watcher, and one that was killed between them is replaced", async () => {
  const { ask } = await startRunner(SHELL, { run: 'ctx.exec("sh", ["-c", "echo $PPID"])' });
  const said = async () => ((await ask("run")) as { stdout: string }).stdout.trim();
  expect(await said()).toBe(String(process.pid));
  const [first, ...more] = watchersOf(process.pid);
  expect([typeof first, more]).toEqual(["number", []]);
  await said();
  expect(watchersOf(process.pid)).toEqual([first]);
  kill(first as number);
  expect(await said()).toBe(String(process.pid));
  const [second] = watchersOf(process.pid).filter((pid) => pid !== first);
  expect(second).toBeTypeOf("number");
});

test("a watcher that was killed a moment before is replaced, too", async () => {
  const programs = [1, 2].map(() => spawn("sleep", ["600"], { detached: true, stdio: "ignore" }));
  onTestFinished(() => {
    for (const program of programs) program.kill("SIGKILL");
  });
  const [one, other] = programs.map(({ pid }) => pid) as [number, number];
  await programWatch.begin(one);
  const [first] = watchersOf(process.pid) as [number];
  kill(first);
  // This process has not heard of it yet.
  while (isAlive(first));
  await programWatch.begin(other);
  expect(watchersOf(process.pid).filter((pid) => pid !== first)).toHaveLength(1);
  for (const group of [one, other]) programWatch.end(group);
});

test("an idle watcher ends with an agent that gets SIGKILL", async () => {
  const file = join(temporaryFolder(), "pids");
  const source = onToolCall(
    `await ctx.exec("sh", ["-c", "true"]); await ctx.exec("sh", ["-c", "echo $$ >> ${file}"]); await new Promise(() => {});`,
  );
  const { host } = await running(source, file, 1, false);
  const watchers = watchersOf(host.pid);
  expect(watchers).toHaveLength(1);
  process.kill(host.pid, "SIGKILL");
  await expect.poll(() => watchers.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

test("processes that a program leaves in its group end with it, and no watcher stays", async () => {
  const { ask } = await startRunner(SHELL, { run: 'ctx.exec("sh", ["-c", "sleep 600 >&- 2>&- & echo $!"])' });
  const { stdout } = (await ask("run")) as { stdout: string };
  onTestFinished(() => kill(Number(stdout)));
  await expect.poll(() => isAlive(Number(stdout))).toBe(false);
  await expect.poll(() => watchersOf(process.pid)).toEqual([]);
});

test("a program gets only the environment and the descriptors that are meant for it", async () => {
  const { ask } = await startRunner(
    [...SHELL, { program: "env", args: [], fullAccess: true, env: { PWD: "/x", MINE: "1" } }],
    {
      env: 'ctx.exec("env", [])',
      open: 'ctx.exec("sh", ["-c", "ls -l /proc/self/fd | grep -v /dev/null"])',
      self: 'ctx.exec("sh", ["-c", "echo $$; ps -o pgid= -p $$"])',
    },
  );
  const { stdout } = (await ask("env")) as { stdout: string };
  const names = stdout.split("\n").map((line) => line.split("=")[0]);
  for (const name of ["SHLVL", "OLDPWD", "_", "cordon_go"]) expect(names).not.toContain(name);
  expect(names).toContain("MINE");
  const open = ((await ask("open")) as { stdout: string }).stdout
    .trim()
    .split("\n")
    .filter((line) => line.includes("->"));
  expect(
    open.map((line) => line.replace(/.* (\d+ -> \w+).*/, "$1")).filter((line) => /socket|pipe/.test(line)),
  ).toHaveLength(2);
  const [pid, group] = ((await ask("self")) as { stdout: string }).stdout.trim().split(/\s+/);
  expect(group).toBe(pid);
});

test("a program that waits for all its children does not wait for Cordon's processes", async () => {
  const { ask } = await startRunner(
    [{ program: "perl", args: ["-e", { kind: "text" }], fullAccess: true, timeoutMs: 5000 }],
    { run: 'ctx.exec("perl", ["-e", "1 while wait() != 0-1; print qq(done)"])' },
  );
  expect(await ask("run")).toMatchObject({ stdout: "done", code: 0, killed: false });
});

async function running(source: string, file: string, count: number, stay = true) {
  const grantsFile = join(temporaryFolder(), "grants.json");
  writeFileSync(grantsFile, JSON.stringify({ version: 1, hooks: { gate: { capabilities: { exec: SHELL } } } }));
  const host = runHost("call", source, { grantsFile });
  await host.next();
  await expect.poll(() => pidsIn(file).length, { timeout: 20_000 }).toBe(count);
  const pids = pidsIn(file);
  if (stay) expect(pids.filter(isAlive)).toEqual(pids);
  return { host, pids };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}
