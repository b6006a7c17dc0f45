import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { sandboxesOf, ticksOf } from "./proc.ts";
import { runHost } from "./run-host.ts";

test("an honest hook that works for a while passes while every core is busy", async () => {
  for (let core = 0; core < 4; core++) {
    const burner = spawn("/bin/sh", ["-c", "while :; do :; done"], { stdio: "ignore" });
    onTestFinished(() => void burner.kill("SIGKILL"));
  }
  // About 300 ms of CPU time without a JIT.
  const work = onToolCall(
    "let sum = 0; for (let at = 0; at < 30_000_000; at++) sum += at % 7; if (sum < 0) return { block: true };",
  );
  const { call, errors, host } = await startSession({ gate: { source: work, grant: { limits: { cpuMs: 1000 } } } });
  const used = () => Math.max(0, ...sandboxesOf().map((pid) => ticksOf(pid) - (started.get(pid) ?? 0))) * 10;
  const started = new Map(sandboxesOf().map((pid) => [pid, ticksOf(pid)]));
  expect(await call()).toBeUndefined();
  expect(used()).toBeGreaterThan(100);
  expect(errors).toEqual([]);
  expect(host.hooks[0]?.state).toBe("active");
});

const SLOW = onToolCall("await new Promise((resolve) => setTimeout(resolve, 1500));");

test("a host that was suspended for longer than the deadline lets an honest slow hook pass", async () => {
  const host = runHost("call", SLOW, { hookTimeout: 2500 });
  expect(await host.next()).toMatchObject({ calling: true });
  await delay(300);
  host.child.kill("SIGSTOP");
  await delay(4000);
  host.child.kill("SIGCONT");
  expect((await host.next()).verdict).toBeNull();
  expect(await host.ended).toBe(0);
});

test("the suspension of the whole machine during a call expires no deadline", async () => {
  const host = runHost("call", SLOW, { hookTimeout: 2500 });
  const { pids = [] } = await host.next();
  await delay(300);
  const all = [host.pid, ...pids];
  for (const pid of all) process.kill(pid, "SIGSTOP");
  await delay(4000);
  for (const pid of all) process.kill(pid, "SIGCONT");
  expect((await host.next()).verdict).toBeNull();
  expect(await host.ended).toBe(0);
});

test("the same deadline blocks a hook that is too slow", async () => {
  const never = onToolCall("await new Promise(() => {});");
  const host = runHost("call", never, { hookTimeout: 500 });
  await host.next();
  expect((await host.next()).verdict).toMatchObject({ block: true, reason: expect.stringContaining("TIMEOUT") });
});

test("the handlers of a bundle share its deadline: a hundred that never settle take one deadline, and quick ones still run", async () => {
  const source = `export default (pi: any) => {
    for (let at = 0; at < 49; at++) pi.on("turn_start", () => new Promise(() => {}));
    pi.on("turn_start", async () => console.log("quick"));
    for (let at = 0; at < 50; at++) pi.on("turn_start", () => new Promise(() => {}));
  };`;
  const session = await startSession({ many: source }, { hookTimeout: 500 });
  const started = performance.now();
  await session.host.emit({ type: "turn_start", turnIndex: 1, timestamp: 1 });
  // One deadline and not a hundred, on a busy machine, too.
  expect(performance.now() - started).toBeLessThan(20 * 500);
  expect(session.errors.map(({ code }) => code)).toEqual(Array(99).fill("TIMEOUT"));
  expect(session.log.map(({ text }) => text)).toEqual(["quick"]);
  expect(session.host.hooks[0]?.state).toBe("active");
  expect(session.audit.filter(({ event }) => event === "crash")).toEqual([]);
});
