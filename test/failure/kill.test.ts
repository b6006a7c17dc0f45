import { expect, test } from "vitest";
import { on, onToolCall, startSession, type TestSession } from "../support/session.ts";
import { namesAll } from "./containment.ts";
import { GroupWatch, sandboxes } from "./processes.ts";

const gate = onToolCall(`
  const { command } = event.input;
  if (command === "wait") { console.log("here"); await new Promise(() => {}); }
  if (command === "ask") await ctx.ui.confirm("Go on?", "");
  return command === "rm" ? { block: true, reason: "no rm" } : undefined;`);

function killAll(): number {
  const pids = sandboxes();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  return pids.length;
}

async function judgesAgain({ call }: TestSession): Promise<void> {
  expect(await call("ls")).toBeUndefined();
  expect(await call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
}

test("a SIGKILL right before a call blocks it, or lets its restarted hook judge it", async () => {
  const session = await startSession({ gate });
  expect(killAll()).toBeGreaterThan(0);
  const verdict = await session.call("rm");
  expect(verdict).toEqual({ block: true, hook: "gate", reason: expect.stringMatching(/^no rm$|\(CRASHED\)/) });
  await judgesAgain(session);
});

test("a SIGKILL some time before a call leaves the call to its restarted hook", async () => {
  const session = await startSession({ gate });
  expect(killAll()).toBeGreaterThan(0);
  await expect.poll(() => session.errors.map(({ event }) => event)).toContain("crash");
  await expect.poll(() => session.host.hooks[0]?.state).toBe("active");
  expect(await session.call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
  await judgesAgain(session);
});

test("a SIGKILL during a call blocks it, with a reason that names the hook, the cause and the remedy", async () => {
  const groups = new GroupWatch();
  const session = await startSession({ gate });
  const verdict = session.call("wait");
  await expect.poll(() => session.log.map(({ text }) => text)).toContain("here");
  expect(killAll()).toBeGreaterThan(0);
  expect(await verdict).toEqual({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(namesAll("gate", ["CRASHED"])),
  });
  expect(session.errors).toMatchObject([
    { event: "crash", code: "CRASHED" },
    { event: "tool_call", code: "CRASHED" },
  ]);
  await judgesAgain(session);
  await session.host.close();
  expect(await groups.left()).toEqual([]);
});

test("a SIGKILL during a call blocks every call in flight", async () => {
  const session = await startSession({ gate });
  const verdicts = Promise.all([session.call("wait"), session.call("wait"), session.call("wait")]);
  await expect.poll(() => session.log.filter(({ text }) => text === "here").length).toBe(3);
  expect(killAll()).toBeGreaterThan(0);
  for (const verdict of await verdicts)
    expect(verdict).toMatchObject({ block: true, reason: expect.stringContaining("CRASHED") });
});

test("a SIGKILL while a person is asked blocks the call, and a late answer changes nothing", async () => {
  let answer: (yes: boolean) => void = () => {};
  let asked = false;
  const ui = {
    select: async () => "Keep blocking",
    confirm: () => {
      asked = true;
      return new Promise<boolean>((resolve) => {
        answer = resolve;
      });
    },
    input: async () => null,
    notify: () => {},
  };
  const session = await startSession({ gate }, { ui });
  const verdict = session.call("ask");
  await expect.poll(() => asked).toBe(true);
  killAll();
  expect(await verdict).toMatchObject({ block: true, hook: "gate", reason: expect.stringContaining("CRASHED") });
  answer(true);
  await judgesAgain(session);
});

test("a SIGKILL while a bundle loads counts as a crash, and the hook is restarted", async () => {
  const slow = `console.log("loading"); await new Promise((done) => setTimeout(done, 300));\n${gate}`;
  const log: string[] = [];
  const starting = startSession({ gate: slow }, { log: ({ text }) => log.push(text) });
  await expect.poll(() => log, { interval: 10 }).toContain("loading");
  expect(killAll()).toBeGreaterThan(0);
  const session = await starting;
  expect(session.host.hooks).toMatchObject([{ state: "active" }]);
  await judgesAgain(session);
});

test("a SIGKILL right after a call does not change its verdict, and the next call is judged", async () => {
  const session = await startSession({ gate });
  expect(await session.call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
  expect(await session.call("ls")).toBeUndefined();
  killAll();
  const verdict = await session.call("rm");
  expect(verdict).toMatchObject({ block: true, hook: "gate" });
  await judgesAgain(session);
});

test("a SIGKILL while a hook observes is reported, and the agent continues", async () => {
  const session = await startSession({
    watcher: on("turn_start", 'console.log("here"); await new Promise(() => {});'),
  });
  const done = session.host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  await expect.poll(() => session.log.map(({ text }) => text)).toContain("here");
  killAll();
  expect(await done).toBeUndefined();
  expect(session.errors.map(({ event, code }) => `${event} ${code}`).sort()).toEqual([
    "crash CRASHED",
    "turn_start CRASHED",
  ]);
});

test("a SIGKILL of the process that two hooks share is reported for both, and both judge again", async () => {
  const session = await startSession({
    gate,
    other: onToolCall('if (event.input.command === "mv") return { block: true, reason: "no mv" };'),
  });
  const verdict = session.call("wait");
  await expect.poll(() => session.log.map(({ text }) => text)).toContain("here");
  killAll();
  expect(await verdict).toMatchObject({ block: true, hook: "gate" });
  expect(
    session.errors.filter(({ event }) => event === "crash").map(({ hookPath }) => hookPath.split("/").at(-1)),
  ).toEqual(expect.arrayContaining(["gate.ts", "other.ts"]));
  await judgesAgain(session);
  expect(await session.call("mv")).toEqual({ block: true, hook: "other", reason: "no mv" });
});
