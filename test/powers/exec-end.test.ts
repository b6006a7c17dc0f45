import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../sandbox/proc.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { SHELL, startRunner } from "./exec-facts.ts";

interface Result {
  stdout: string;
  code: number;
  killed: boolean;
}

test("a command that exceeds its timeout is killed, and its code shows it", async () => {
  const { ask } = await startRunner([{ program: "sleep", args: ["600"], fullAccess: true }], {
    run: 'ctx.exec("sleep", ["600"], { timeout: 300 })',
  });
  expect(await ask("run")).toMatchObject({ killed: true, code: 143 });
});

test("the grant's timeout applies if the hook gives none or a longer one", async () => {
  const entry = { program: "sleep", args: ["600"], fullAccess: true, timeoutMs: 300 };
  const { ask } = await startRunner([entry], {
    none: 'ctx.exec("sleep", ["600"])',
    longer: 'ctx.exec("sleep", ["600"], { timeout: 500000 })',
  });
  expect(await ask("none")).toMatchObject({ killed: true, code: 143 });
  expect(await ask("longer")).toMatchObject({ killed: true, code: 143 });
});

test("a program that ignores SIGTERM gets SIGKILL, with everything it started", async () => {
  const script = 'trap "" TERM; sleep 600 & echo $$ $!; while :; do sleep 1; done';
  const { ask } = await startRunner(SHELL, {
    run: `ctx.exec("sh", ["-c", ${JSON.stringify(script)}], { timeout: 500 })`,
  });
  const { stdout, ...result } = (await ask("run")) as Result;
  expect(result).toMatchObject({ killed: true, code: 137 });
  const pids = stdout.trim().split(" ").map(Number);
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test("the hook's signal ends a command", async () => {
  const { ask } = await startRunner([{ program: "sleep", args: ["600"], fullAccess: true }], {
    late: 'ctx.exec("sleep", ["600"], { signal: AbortSignal.timeout(200) })',
    early: 'ctx.exec("sleep", ["600"], { signal: AbortSignal.abort() })',
  });
  expect(await ask("late")).toMatchObject({ killed: true, code: 143 });
  expect(await ask("early")).toMatchObject({ killed: true, code: 143 });
});

test("standard input is closed: a program that reads it ends at once", async () => {
  const { ask } = await startRunner([{ program: "cat", args: [] }], { run: 'ctx.exec("cat", [])' });
  expect(await ask("run")).toMatchObject({ stdout: "", code: 0, killed: false });
});

test("output over its limit is dropped, and the program still runs to its end", async () => {
  const entry = { program: "sh", args: ["-c", { kind: "text" as const }], fullAccess: true, maxOutputBytes: 1000 };
  const script = "head -c 5000000 /dev/zero | tr '\\\\0' x; exit 3";
  const { ask } = await startRunner([entry], { run: `ctx.exec("sh", ["-c", "${script}"])` });
  const { stdout, code } = (await ask("run")) as Result;
  expect({ length: stdout.length, code }).toEqual({ length: 1000, code: 3 });
});

test("a command may run longer than the hook's own deadline", async () => {
  const { ask } = await startRunner(
    SHELL,
    { run: 'ctx.exec("sh", ["-c", "sleep 2; echo done"])' },
    { hookTimeout: 500 },
  );
  expect(await ask("run")).toMatchObject({ stdout: "done\n", code: 0 });
});

test("a command whose call was aborted is ended", async () => {
  const pidFile = join(temporaryFolder(), "pid");
  const { host } = await startSession({
    runner: {
      source: onToolCall(`await ctx.exec("sh", ["-c", "echo $$ > ${pidFile}; exec sleep 600"]);`),
      grant: { capabilities: { exec: SHELL } },
    },
  });
  const giveUp = new AbortController();
  const verdict = host.emitToolCall(
    { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } },
    { signal: giveUp.signal },
  );
  await expect.poll(() => existsSync(pidFile), { timeout: 20_000 }).toBe(true);
  await expect.poll(() => Number(readFileSync(pidFile, "utf8")) > 0, { timeout: 5000 }).toBe(true);
  const pid = Number(readFileSync(pidFile, "utf8"));
  expect(isAlive(pid)).toBe(true);
  giveUp.abort();
  expect(await verdict).toMatchObject({ block: true });
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

test("a running command of a hook that is closed is ended", async () => {
  const pidFile = join(temporaryFolder(), "pid");
  const { host, call } = await startSession({
    runner: {
      source: onToolCall(`await ctx.exec("sh", ["-c", "echo $$ > ${pidFile}; exec sleep 600"]);`),
      grant: { capabilities: { exec: SHELL } },
    },
  });
  const verdict = call();
  await expect
    .poll(() => existsSync(pidFile) && Number(readFileSync(pidFile, "utf8")) > 0, { timeout: 20_000 })
    .toBe(true);
  const pid = Number(readFileSync(pidFile, "utf8"));
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  await host.close();
  expect(await verdict).toMatchObject({ block: true });
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});
