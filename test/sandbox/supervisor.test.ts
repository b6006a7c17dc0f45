import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { Supervisor } from "../../src/supervisor/supervisor.ts";
import { type FakeSandbox, fakeSandbox } from "../support/fake-sandbox.ts";
import { temporaryFolder } from "../support/session.ts";
import { loneIsolate, toolCall } from "./lone-isolate.ts";
import { eventually, isAlive } from "./proc.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });
});

const HOOK = `
  let calls = 0;
  pi.on("tool_call", async (event) => {
    if (event.input.command === "hang") for (;;);
    return { block: true, reason: String(++calls) };
  });`;

function supervise(body = HOOK, cpuMs = 1000) {
  const supervisor = new Supervisor(() => new SandboxProcess(runtime, { memoryMb: 64, jit: false }));
  onTestFinished(() => supervisor.close());
  const { isolate, heard } = loneIsolate(body, { cpuMs });
  supervisor.add(isolate);
  return { supervisor, isolate, heard };
}

function superviseFake(fake: FakeSandbox) {
  const supervisor = new Supervisor(() => new SandboxProcess(fake.runtime, { memoryMb: 64, jit: true }));
  onTestFinished(() => supervisor.close());
  const { isolate, heard } = loneIsolate("");
  supervisor.add(isolate);
  return { supervisor, isolate, heard };
}

const verdictOf = (reason: string) => ({ verdict: { result: { block: true, reason } } });

test("a supervisor is idle, starting, started, stopping and stopped, in this order", async () => {
  const { supervisor, isolate } = supervise();
  expect(supervisor.state).toBe("idle");
  const started = supervisor.start();
  await Promise.resolve();
  expect(supervisor.state).toBe("starting");
  await started;
  expect(supervisor.state).toBe("started");
  expect(isolate.state).toBe("active");
  const closed = supervisor.close();
  expect(supervisor.state).toBe("stopping");
  await closed;
  expect(supervisor.state).toBe("stopped");
  expect(supervisor.pid).toBeUndefined();
});

test("starting twice starts one process", async () => {
  const { supervisor } = supervise();
  await Promise.all([supervisor.start(), supervisor.start()]);
  const { pid } = supervisor;
  await supervisor.start();
  expect(supervisor.pid).toBe(pid);
});

test("a supervisor closed while it starts leaves no process and never becomes started", async () => {
  const { supervisor } = supervise();
  const started = supervisor.start();
  await eventually("a process", () => supervisor.pid !== undefined);
  const pid = supervisor.pid as number;
  await supervisor.close();
  await started;
  expect(supervisor.state).toBe("stopped");
  await eventually("its end", () => !isAlive(pid));
});

test("a killed process is replaced by one with fresh state, and its hook is reported as crashed", async () => {
  const { supervisor, isolate, heard } = supervise();
  await supervisor.start();
  expect(await supervisor.dispatch([isolate], toolCall(), 10_000)).toMatchObject([verdictOf("1")]);
  expect(await supervisor.dispatch([isolate], toolCall(), 10_000)).toMatchObject([verdictOf("2")]);
  const before = supervisor.pid as number;
  process.kill(before, "SIGKILL");
  await eventually("the crash", () => heard.crashes.length === 1);
  await supervisor.whenStarted();
  expect(await supervisor.dispatch([isolate], toolCall(), 10_000)).toMatchObject([verdictOf("1")]);
  expect(supervisor.pid).not.toBe(before);
  expect(heard.crashes[0]).toMatchObject({ culprit: true, failure: { code: "CRASHED" } });
});

test("a call in flight when its process dies fails, and only that call", async () => {
  const { supervisor, isolate } = supervise(HOOK, 60_000);
  await supervisor.start();
  const outcome = supervisor.dispatch([isolate], toolCall("hang"), 60_000);
  process.kill(supervisor.pid as number, "SIGKILL");
  expect(await outcome).toMatchObject([{ failure: { code: "CRASHED" } }]);
  await supervisor.whenStarted();
  expect(await supervisor.dispatch([isolate], toolCall(), 10_000)).toMatchObject([verdictOf("1")]);
});

test("a hook that uses up its CPU time three times in a minute is stopped, and stays stopped", async () => {
  const { supervisor, isolate, heard } = supervise(HOOK, 50);
  await supervisor.start();
  for (let crash = 0; crash < 3; crash++) {
    expect(await supervisor.dispatch([isolate], toolCall("hang"), 20_000)).toMatchObject([
      { failure: { code: "CPU_EXCEEDED" } },
    ]);
    await supervisor.whenStarted();
  }
  expect(isolate.state).toBe("stopped");
  expect(heard.crashes).toHaveLength(3);
  expect(await supervisor.dispatch([isolate], toolCall(), 10_000)).toMatchObject([{ failure: { code: "CRASHED" } }]);
});

test("a hook that shares the process of a hanging hook is restarted with it, without counting a crash", async () => {
  const { supervisor, isolate } = supervise(HOOK, 50);
  const other = loneIsolate(HOOK);
  supervisor.add(other.isolate);
  await supervisor.start();
  for (let crash = 0; crash < 3; crash++) {
    await supervisor.dispatch([isolate], toolCall("hang"), 20_000);
    await supervisor.whenStarted();
  }
  expect(isolate.state).toBe("stopped");
  expect(other.isolate.state).toBe("active");
  expect(other.heard.crashes.map(({ culprit }) => culprit)).toEqual([false, false, false]);
  expect(await supervisor.dispatch([other.isolate], toolCall(), 10_000)).toMatchObject([verdictOf("1")]);
});

test("a process is pinged only while a call is outstanding", async () => {
  const fake = fakeSandbox(temporaryFolder(), { answerMs: 1500 });
  const { supervisor, isolate } = superviseFake(fake);
  const pings = () => fake.frames().filter((kind) => kind === "P").length;
  await supervisor.start();
  await delay(300);
  const idle = pings();
  await delay(600);
  expect(pings()).toBe(idle);
  await supervisor.dispatch([isolate], toolCall(), 20_000);
  await delay(300);
  const busy = pings();
  expect(busy).toBeGreaterThan(idle + 2);
  await delay(600);
  expect(pings()).toBe(busy);
});

test("a kill ends the whole group, including processes that the sandbox started", async () => {
  const fake = fakeSandbox(temporaryFolder(), { child: true });
  const { supervisor } = superviseFake(fake);
  await supervisor.start();
  await eventually("both pids", () => fake.pids().length === 2);
  expect(fake.pids().every(isAlive)).toBe(true);
  await supervisor.close();
  await eventually("the end of both", () => !fake.pids().some(isAlive));
});

test("a process that never becomes ready is killed at the start deadline", async () => {
  const fake = fakeSandbox(temporaryFolder(), { ready: false });
  const { supervisor, heard } = superviseFake(fake);
  const started = supervisor.start();
  await eventually("the deadline", () => heard.crashes.length > 0, 40_000);
  expect(heard.crashes[0]?.failure).toMatchObject({ code: "TIMEOUT" });
  await eventually("the end of the process", () => !isAlive(fake.pids()[0] as number));
  await supervisor.close();
  await started;
});
